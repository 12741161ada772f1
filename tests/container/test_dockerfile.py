"""What the Dockerfile says, without building it; ``python -m tests.container`` runs its steps."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.container.dockerfile import ROOT, copy_context, expanded, read_stages
from tests.container.image import INSTRUCTIONS

STAGES = read_stages()
FINAL = STAGES[-1]


def test_both_stages_have_the_same_python() -> None:
    assert {stage.image for stage in STAGES} == {"python:3.11-slim-bookworm"}


def test_runs_as_a_numbered_user_that_is_not_root() -> None:
    user, group = FINAL.last("USER").value.split(":")
    assert int(user) > 1000
    assert int(group) > 1000


def test_a_command_is_process_1_and_hears_the_signal_that_python_handles() -> None:
    assert FINAL.last("ENTRYPOINT").value == '["wikiwhy"]'
    assert FINAL.last("STOPSIGNAL").value == "SIGINT"


def test_what_is_written_has_its_place_in_the_volume() -> None:
    environment = {name: value for step in FINAL.of("ENV") for name, value in step.assignments().items()}
    assert FINAL.last("VOLUME").words() == ["/data"]
    for name in ("WIKIWHY_DATA_DIR", "HOME", "HF_HOME"):
        assert Path(environment[name]).is_relative_to("/data")
    assert not Path(environment["XDG_CACHE_HOME"]).is_relative_to("/data")
    assert environment["OMP_WAIT_POLICY"] == "passive"


def test_labels_name_the_version_of_the_package() -> None:
    labels = {name: value for step in FINAL.of("LABEL") for name, value in step.assignments().items()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert labels["org.opencontainers.image.version"] == project["version"]
    assert labels["org.opencontainers.image.description"] == project["description"]


def test_no_address_of_a_package_index_is_written_in() -> None:
    arguments = {name: value for step in STAGES[0].of("ARG") for name, value in step.assignments().items()}
    assert arguments == {"BGE": "1", "PIP_INDEX_URL": "", "PIP_EXTRA_INDEX_URL": "", "TORCH_INDEX_URL": ""}
    assert "://" not in (ROOT / "Dockerfile").read_text("utf-8")


@pytest.mark.parametrize("name", [".env", "wikiwhy.toml", ".git/config", "data/wikiwhy.db", "bot/__pycache__/x.pyc"])
def test_what_is_private_or_made_here_stays_out(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    for path in (name, "bot/settings.py", "prompts/answer.md", "migrations/script.py.mako", ".dockerignore"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).touch()
    (project / ".dockerignore").write_bytes((ROOT / ".dockerignore").read_bytes())
    monkeypatch.setattr("tests.container.dockerfile.ROOT", project)
    copy_context(tmp_path / "context")
    sent = {str(path.relative_to(tmp_path / "context")) for path in (tmp_path / "context").rglob("*") if path.is_file()}
    assert sent == {"bot/settings.py", "prompts/answer.md", "migrations/script.py.mako"}


def test_variables_are_replaced_as_the_builder_does() -> None:
    assert expanded("$A/${B}:$C", {"A": "a", "B": "b"}) == "a/b:"


def test_the_build_without_an_engine_knows_every_instruction() -> None:
    written = {step.instruction for stage in STAGES for step in stage.steps}
    assert written <= INSTRUCTIONS
