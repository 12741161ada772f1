"""Microsoft Teams over real HTTP: a Bot Framework connector, its tokens, and the people of one tenant.

with TeamsWorld() as world:
    world.deliver_to("http://127.0.0.1:8000/api/messages")
    ada = world.add_user("Ada Lovelace")
    eng = world.add_channel("eng", members=[ada])
    root = world.say(ada, eng, "Who is on call?")
    answer = world.await_message(eng, root, lambda message: "Grace" in message.text)
"""

from tests.servers.chat_server import Delivery
from tests.servers.faults import Fault
from tests.servers.teams.state import Message, Update
from tests.servers.teams.tokens import FORGERIES, Tokens
from tests.servers.teams.world import TeamsWorld

__all__ = ["FORGERIES", "Delivery", "Fault", "Message", "TeamsWorld", "Tokens", "Update"]
