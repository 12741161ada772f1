from __future__ import annotations

from core.views.notices import HelpView, Waiting
from core.views.wording import WORDS, format_hidden_sources, help_lines, progress_text


def test_titles_of_forms_and_buttons_are_short_enough_for_every_platform() -> None:
    for words in WORDS.values():
        for form in (words.correction, words.reason):
            assert all(len(text) <= 24 for text in (form.title, form.submit, form.cancel))
        for label in (words.explain, words.sources, words.not_meant, words.good, words.bad):
            assert len(label) <= 30


def test_waiting_tells_how_far_it_is_where_that_is_known() -> None:
    assert progress_text(Waiting("en", "explanation")) == "Checking which sources matter …"
    assert progress_text(Waiting("de", "explanation", done=3, total=8)).endswith("ankommt: 3 von 8 …")
    assert progress_text(Waiting("de", "sync", about="DOC")) == "DOC wird synchronisiert …"
    assert progress_text(Waiting("de", "sync", "DOC", 1200, 3000)).endswith("1.200 von 3.000 Seiten …")


def test_hidden_sources_are_counted() -> None:
    assert format_hidden_sources(0, "en") == ""
    assert format_hidden_sources(1, "en").startswith("One source is")
    assert format_hidden_sources(2, "de").startswith("2 Quellen fehlen")


def test_help_is_for_where_it_is_asked() -> None:
    in_channel = help_lines(HelpView("en", "@W", ("ENG", "HR")))
    assert in_channel[0].startswith("Mention @W with")
    assert in_channel[1] == "Reply in the thread to follow up."
    assert in_channel[-1] == "Here I search these wiki spaces: ENG and HR."
    direct = help_lines(HelpView("en", "@W", ("HR",), direct=True))
    assert direct[0].startswith("Send me")
    assert direct[-1].endswith("your own account may read.")
