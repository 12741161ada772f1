"""The time of Explain on the samples: ten clusters with a model of one second per call, and extractively."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from adapters.folder.wiki import FolderWiki
from benchmarks.child import WORK, MeasurementFailed, default_settings
from benchmarks.corpus import ROOT, Corpus
from benchmarks.figure import Figure, at_most
from benchmarks.report import main
from bot.explainers import make_explainer
from bot.operations.operation import LocalOperations
from bot.operations.questions import AskQuestion, BeginConversation
from bot.settings import Settings, load_settings
from bot.wiring import Application, now, open_application
from core.attribution.explainer import Explanation
from core.model import Turn

_QUESTION = "Wo bekomme ich einen Schlüssel für das Berliner Büro?"
_ANSWER = "Den Schlüssel gibt Carmen Eilers gegen Unterschrift und 40 Euro Pfand aus. [1]"
_NO_ALIKES = 1e-9  # makes each of the ten evidences a cluster
_BY_MODEL, _EXTRACTIVE = (
    "Explain, ten clusters, a model of 1 s a call",
    "Explain, extractive, by the time of its answer",
)


def measure(corpus: Corpus) -> list[Figure]:
    """Measure on the samples for any corpus, since the model's second dominates."""
    with default_settings(), tempfile.TemporaryDirectory(dir=WORK) as data:
        settings = load_settings(data_dir=Path(data))
        with open_application(settings) as application:
            asyncio.run(_sync(application))
            turn, explanation = asyncio.run(_explained(application))
        answered = turn.timings_ms["answer"] / 1000
        note = f"{explanation.seconds:.2f} s, the answer {answered:.2f} s"
        return [_by_model(settings), Figure(_EXTRACTIVE, "times", explanation.seconds / answered, None, note)]


def _by_model(settings: Settings) -> Figure:
    try:
        from tests.servers.scripted_model import Reply, ScriptedModel
    except ImportError as error:
        return Figure(_BY_MODEL, "s", None, at_most(2.5), f"needs the development tools ({error}): run make test once")
    with ScriptedModel(Reply(_ANSWER, delay=1.0)) as server:
        chosen = {"llm_base_url": server.base_url, "completer": "heuristic", "explain_epsilon": _NO_ALIKES}
        with open_application(settings.model_copy(update=chosen)) as application:
            _, explanation = asyncio.run(_explained(application))
    if len(explanation.clusters) != 10 or server.at_once < 10:
        raise MeasurementFailed(f"{len(explanation.clusters)} clusters, {server.at_once} calls at once instead of 10")
    return Figure(_BY_MODEL, "s", explanation.seconds, at_most(2.5), f"{explanation.calls} answers")


async def _sync(application: Application) -> None:
    wiki = FolderWiki(ROOT / "samples" / "documents", files=application.file_texts)
    for space in await wiki.list_spaces():
        await application.make_synchroniser().sync_all(wiki, [space], now(), lambda progress: None)


async def _explained(application: Application) -> tuple[Turn, Explanation]:
    operations = LocalOperations(application)
    question = AskQuestion(await operations.execute(BeginConversation()), _QUESTION)
    await operations.execute(question)  # load models and caches
    turn = await operations.execute(question)
    return turn, await (await make_explainer(application, turn)).explain(turn)


if __name__ == "__main__":
    main(measure)
