"""PostgreSQL or the language model is away for a while."""

from __future__ import annotations

import signal
import time

from benchmarks.chat.bots import PlatformServer
from benchmarks.chat.model import TimedModel
from benchmarks.faults.case import Options, start_case
from benchmarks.figure import Figure
from tests.servers.scripted_model import Reply, ScriptedModel, failing

_NOTICED = 15.0  # seconds after which a bot must know that it is not ready: it checks every ten
_BEFORE = 10  # answers
_MODEL_SECONDS = 0.2


def measure_stopped_database(platform: PlatformServer, options: Options) -> list[Figure]:
    """PostgreSQL is stopped for a while, then ends as in a crash."""
    with start_case("PostgreSQL stopped", platform, options) as case:
        assert case.database
        for number, how in ((signal.SIGINT, ", stopped"), (signal.SIGQUIT, ", crashed")):
            case.await_answers(_BEFORE)
            case.database.stop(number)
            time.sleep(max(_NOTICED, options.seconds))
            case.check(f"bots that are ready without a database{how}", "bots", sum(case.bots.ready), 0)
            case.database.start()
            case.check_recovery(how)
        case.await_answers(_BEFORE)
        return case.finish()


def measure_failing_model(platform: PlatformServer, options: Options) -> list[Figure]:
    """The language model responds with 503, then does not respond at all; the wiki's own words answer meanwhile."""
    timed = TimedModel(_MODEL_SECONDS)
    with ScriptedModel(timed.reply) as server:
        settings = {
            "WIKIWHY_LLM_BASE_URL": server.base_url,
            "WIKIWHY_LLM_TIMEOUT": "5",
            "WIKIWHY_LLM_CONCURRENCY": "32",
        }
        with start_case("model down", platform, options, settings=settings) as case:
            for fault, how in ((failing(503, "overloaded"), ", 503"), (Reply(delay=600.0), ", silent")):
                case.await_answers(_BEFORE)
                server.script = [fault]
                began = time.monotonic()
                time.sleep(options.seconds)
                case.check(
                    f"1 if no question was answered meanwhile{how}", "", int(not case.flow.answers_since(began)), 0
                )
                server.script = [timed.reply]
                case.check_recovery(how)
            case.await_answers(_BEFORE)
            return case.finish()
