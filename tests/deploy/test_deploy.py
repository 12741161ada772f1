"""The files in ``deploy/`` by the schemas of their tools, and by what WikiWhy really has. They are not run here."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import promql_parser
import pytest
import yaml

from bot.server.metrics import Metrics
from bot.settings import Settings
from tests.container.dockerfile import read_stages

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
OBJECTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
ALERTS = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yaml").read_text("utf-8"))
DASHBOARD = json.loads((DEPLOY / "grafana" / "wikiwhy.json").read_text("utf-8"))
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
_VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
_IMAGE = f"wikiwhy:{_VERSION}"
_USER = read_stages()[-1].last("USER").value


def load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "kubernetes" / f"{name}.yaml").read_text("utf-8"))
    return loaded


def test_the_runbook_has_a_section_for_each_alert() -> None:
    runbook = (ROOT / "docs" / "runbook.md").read_text("utf-8")
    assert set(re.findall(r"^### (WikiWhy\w+)$", runbook, re.MULTILINE)) == {rule["alert"] for rule in RULES}


def test_compose_is_as_its_specification_says() -> None:
    schema = json.loads(files("check_jsonschema").joinpath("builtin_schemas/vendor/compose-spec.json").read_text())
    jsonschema.validators.validator_for(schema)(schema).validate(COMPOSE)


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_a_service_has_few_rights_and_a_limit_of_memory(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["deploy"]["resources"]["limits"]["memory"]
    assert re.search(r":.*\d", service["image"])  # of a version, not what is newest
    assert "user" in service or name == "postgres"  # which changes to its own
    assert name in {"bot", "balancer"} or service["networks"] == ["inside"]


def test_the_bots_of_compose_are_the_image_that_is_built_here() -> None:
    bot = COMPOSE["services"]["bot"]
    assert (bot["image"], bot["user"]) == (_IMAGE, _USER)
    assert "volumes" not in bot  # replicas would share it
    assert f"uid={_USER.split(':')[0]}" in next(mount for mount in bot["tmpfs"] if mount.startswith("/data"))


def test_the_bots_do_not_know_the_password_of_the_databases_superuser() -> None:
    database, bot = (COMPOSE["services"][name]["environment"] for name in ("postgres", "bot"))
    superuser = database["POSTGRES_PASSWORD"].partition(":")[0].removeprefix("${")
    assert superuser not in str(bot)
    assert database["BOT_PASSWORD"] in bot["WIKIWHY_DATABASE_URL"]
    assert '"$$BOT_PASSWORD"' in COMPOSE["configs"]["create-database"]["content"]


@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.stem)
def test_an_object_is_as_kubernetes_says(path: Path) -> None:
    kubernetes_validate.validate(yaml.safe_load(path.read_text("utf-8")), "1.30", strict=True)


def test_no_space_is_open_to_all_channels_until_the_operator_says_so() -> None:
    assert load("settings")["data"]["WIKIWHY_DEFAULT_SPACES"] == ""
    assert not COMPOSE["services"]["bot"]["environment"].get("WIKIWHY_DEFAULT_SPACES")


def test_the_pods_have_few_rights_and_limits() -> None:
    pod = load("deployment")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    user, group = map(int, _USER.split(":"))
    assert container["image"] == _IMAGE
    assert (pod["securityContext"]["runAsUser"], pod["securityContext"]["runAsGroup"]) == (user, group)
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    context = container["securityContext"]
    assert (context["readOnlyRootFilesystem"], context["allowPrivilegeEscalation"]) == (True, False)
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert container["resources"]["limits"]["memory"]
    assert container["resources"]["requests"].keys() >= {"cpu", "memory"}
    assert {probe: container[probe]["httpGet"]["path"] for probe in container if probe.endswith("Probe")} == {
        "startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz",
    }  # fmt: skip


def test_all_objects_mean_the_same_pods() -> None:
    labels = load("deployment")["spec"]["template"]["metadata"]["labels"]
    assert load("deployment")["spec"]["selector"]["matchLabels"] == labels
    assert load("service")["spec"]["selector"] == labels
    assert load("disruption")["spec"]["selector"]["matchLabels"] == labels
    assert load("network")["spec"]["podSelector"]["matchLabels"] == labels


def test_settings_are_settings_and_secrets_are_empty() -> None:
    known = {f"WIKIWHY_{name.upper()}" for name in Settings.model_fields}
    secrets = load("secret.example")["stringData"]
    named = {*load("settings")["data"], *secrets, *COMPOSE["services"]["bot"]["environment"]}
    assert named <= known
    assert {value for name, value in secrets.items() if name != "WIKIWHY_DATABASE_URL"} == {""}
    assert "PASSWORD@" in secrets["WIKIWHY_DATABASE_URL"]


def _exported() -> Mapping[str, frozenset[str]]:
    """The names of the series that ``/metrics`` may have, with their labels."""
    metrics, found = Metrics(), {}
    suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}
    instruments = {each._name: each for each in vars(metrics).values() if hasattr(each, "_labelnames")}
    # Of collectors that make their series when they are read.
    made = {"wikiwhy_space_age_seconds": "space", "wikiwhy_rate_limits": "service", "wikiwhy_retries": "service"}
    for family in metrics.registry.collect():
        labels = {*getattr(instruments.get(family.name), "_labelnames", ()), made.get(family.name, "kind")}
        for suffix in suffixes[family.type]:
            found[family.name + suffix] = frozenset(labels | {"le", "instance", "job"})
    return found


EXPORTED = _exported()


EXPRESSIONS = [
    *((rule["alert"], rule["expr"]) for rule in RULES),
    *((panel["title"], target["expr"]) for panel in PANELS for target in panel["targets"]),
]


@pytest.mark.parametrize(("name", "expression"), EXPRESSIONS)
def test_an_expression_is_valid_and_asks_for_what_the_metrics_have(name: str, expression: str) -> None:
    text = expression.replace("$__rate_interval", "5m")
    promql_parser.parse(text)
    asked = set(re.findall(r"\b(?:wikiwhy|process)_\w+", text))
    assert asked
    assert asked <= EXPORTED.keys()
    labels = {label.strip() for group in re.findall(r"\bby \(([^)]*)\)", text) for label in group.split(",")}
    labels |= set(re.findall(r"(\w+)(?:=~|!~|!=|=)\"", text))
    assert all(labels <= EXPORTED[series] for series in asked)


def test_alerts_say_how_bad_it_is_and_what_it_means() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule.keys() <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert rule["annotations"]["summary"].endswith((".", "them."))
        assert "for" not in rule or promql_parser.parse_duration(rule["for"])


def test_the_dashboard_asks_the_chosen_source_and_its_panels_do_not_overlap() -> None:
    assert {target["datasource"]["uid"] for panel in PANELS for target in panel["targets"]} == {"${datasource}"}
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    covered: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert at["x"] + at["w"] <= 24
        assert not cells & covered
        covered |= cells
