"""A Slack workspace over real HTTP.

with SlackWorld() as world:
    world.deliver_to("http://127.0.0.1:8000/slack/events")
    ada = world.add_user("ada")
    eng = world.add_channel("eng", members=[ada])
    ts = world.say(ada, eng, f"<@{world.bot}> Who is on call?")
    answer = world.await_message(eng, ts, lambda message: "Grace" in message.text)
"""

from tests.servers.chat_server import Delivery
from tests.servers.faults import Fault
from tests.servers.slack.state import Message, Update, View
from tests.servers.slack.text import Ping, pings_in
from tests.servers.slack.world import SlackWorld

__all__ = ["Delivery", "Fault", "Message", "Ping", "SlackWorld", "Update", "View", "pings_in"]
