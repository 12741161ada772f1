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
from core.chat.limits import LimitSettings
from core.errors import SettingsInvalid
from core.evidence.contextualise import ContextMode
from core.evidence.extract import ExtractionSettings
from core.evidence.linearise import LineariserName
from core.indexing.synchroniser import SyncSettings
from core.retrieval.retriever import FusionMethod, RetrievalMode, RetrievalSettings

SECRET_SETTINGS = frozenset(
    {
        "llm_api_key",
        "llm_base_url",
        "confluence_url",
        "confluence_token",
        "webhook_secret",
        "metrics_token",
        "slack_bot_token",
        "slack_signing_secret",
        "slack_app_token",
        "teams_app_password",
    }
)
_SHORTEST_SECRET = 16
ALL_SPACES = "*"


class Settings(BaseSettings):
    """All settings. The defaults of the method are those that measured best: see docs/retrieval.md."""

    model_config = SettingsConfigDict(
        env_prefix="WIKIWHY_", env_file=".env", toml_file="wikiwhy.toml", extra="ignore", env_ignore_empty=True
    )

    data_dir: Path = Path("data")
    database_url: str = ""  # "" means a SQLite file in the data directory
    chroma_url: str = ""  # "" means a chromadb in the data directory

    # Models. Another embedder needs every text embedded again, which the next sync or db rebuild-index does.
    embedder: Literal["e5", "bge-m3", "openai"] = "e5"
    bge_model: str = "BAAI/bge-m3"  # or a folder
    embedding_base_url: str = ""
    embedding_api_key: SecretStr = SecretStr("")
    embedding_model: str = ""
    embedding_query_prefix: str = ""
    embedding_passage_prefix: str = ""
    reranker: Literal["none", "bge"] = "none"
    bge_reranker_model: str = "BAAI/bge-reranker-v2-m3"  # or a folder
    rerank_candidates: Annotated[int, Field(ge=1, le=200)] = 30

    # The language model. None of the first three: no model, answers are extractive.
    llm_base_url: Annotated[str, Field(repr=False)] = ""  # "" means OpenAI itself
    llm_api_key: SecretStr = SecretStr("")
    llm_model: str = ""  # "" means the only one that the server has
    llm_api_version: str = ""  # set: Azure's classic endpoints
    llm_timeout: Annotated[float, Field(gt=0, le=3600)] = 180  # seconds, of a whole call
    llm_context_tokens: Annotated[int, Field(ge=512)] = 8192
    llm_concurrency: Annotated[int, Field(ge=1, le=1000)] = 4
    llm_retries: Annotated[int, Field(ge=0, le=20)] = 3
    completer: Literal["auto", "heuristic"] = "auto"  # auto: by the language model where there is one
    answerer: Literal["auto", "extractive"] = "auto"
    suggestions: Literal["auto", "headings", "off"] = "auto"

    # Explain. See docs/attribution.md.
    explain_model: str = ""  # at the same server; "" means the one that answers
    explain_method: Literal["counterfactual", "frugal", "likelihood"] = "counterfactual"
    explain_repetitions: Annotated[int, Field(ge=1, le=20)] = 1
    explain_epsilon: Annotated[float, Field(gt=0, le=1)] = EPSILON
    explain_concurrency: Annotated[int, Field(ge=1, le=1000)] = 12

    # Confluence. The flavour is told from the URL where it is not set.
    confluence_url: Annotated[str, Field(repr=False)] = ""
    confluence_flavour: Literal["", "cloud", "datacenter"] = ""
    confluence_email: str = ""  # of the account that the token belongs to; Cloud only
    confluence_token: SecretStr = SecretStr("")
    confluence_concurrency: Annotated[int, Field(ge=1, le=32)] = 4
    confluence_timeout: Annotated[float, Field(gt=0, le=600)] = 30  # seconds, of one request
    confluence_ca_bundle: str = ""  # a PEM file, "" means the usual authorities

    # Who is who, for direct messages. See docs/confluence.md.
    accounts: str = ""  # a file of chat users and their accounts; "" means nobody is named
    accounts_minutes: Annotated[float, Field(ge=1, le=1440)] = 15  # how long what Confluence told is relied on

    # When spaces are synced, and who may say that a page changed. See docs/confluence.md.
    sync_schedule: str = ""  # "ENG, PEO: 0 6 * * *; OPS: @hourly"
    timezone: str = "UTC"  # of the schedules
    webhook_secret: SecretStr = SecretStr("")  # "" means no webhooks

    # The server. See docs/operations.md.
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8080  # 0: any that is free
    base_url: str = ""  # how people's browsers reach the server
    metrics_token: SecretStr = SecretStr("")  # "" means that only this machine may read /metrics
    log_format: Literal["auto", "json", "text"] = "auto"  # auto: text on a terminal
    admins: str = ""  # chat users: "U045EF6GH, U078IJ9KL"
    default_spaces: str = ""  # of channels without spaces of their own: "ENG, PEO", or * for all that are synced

    # Chat. See docs/slack.md and docs/teams.md.
    channels: str = ""  # a file of channels with their spaces, and of whom to ask; "" means there is none
    limit_person: Annotated[int, Field(ge=0)] = 60  # questions a minute; 0: no limit
    limit_channel: Annotated[int, Field(ge=0)] = 240
    daily_tokens: Annotated[int, Field(ge=0)] = 0  # of the language model; 0: no limit
    slack_bot_token: SecretStr = SecretStr("")  # "" means no Slack
    slack_signing_secret: SecretStr = SecretStr("")
    slack_app_token: SecretStr = SecretStr("")  # set: Socket Mode
    slack_api_url: str = ""  # another one than Slack's own
    teams_app_id: str = ""  # "" means no Teams
    teams_app_password: SecretStr = SecretStr("")
    teams_tenant_id: str = ""
    teams_login_url: str = ""  # another one than Microsoft's own
    teams_metadata_url: str = ""  # the same, of the keys that requests of Teams are signed with
    teams_anonymous: bool = False  # for the Agents Playground, on this machine only

    # Privacy. See docs/operations.md.
    retention_days: Annotated[int, Field(ge=0, le=36_500)] = 0  # how long turns and what was said are kept; 0: for ever
    audit_days: Annotated[int, Field(ge=0, le=36_500)] = 0  # the same, of the audit log

    # Evidence. A change re-extracts every page at its next sync.
    context: ContextMode = "ALL"
    lineariser: LineariserName = "verbalised"
    index_passages: bool = True
    index_lists: bool = True
    index_tables: bool = True
    index_rows: bool = True
    max_chars: Annotated[int, Field(ge=200, le=4000)] = 1200
    context_words: Annotated[int, Field(ge=0, le=200)] = 50

    # Retrieval.
    retrieval: RetrievalMode = "hybrid"
    fusion: FusionMethod = "min-max"
    words_weight: Annotated[float, Field(ge=0, le=1)] = 0.40
    grams_weight: Annotated[float, Field(ge=0, le=1)] = 0.25
    dense_weight: Annotated[float, Field(ge=0, le=1)] = 0.35
    title_weight: Annotated[float, Field(ge=0, le=2)] = 0.90
    candidates: Annotated[int, Field(ge=10, le=1000)] = 100
    evidences: Annotated[int, Field(ge=1, le=50)] = 10
    per_page: Annotated[int, Field(ge=1, le=50)] = 2

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
        "llm_base_url", "confluence_url", "base_url", "slack_api_url", "teams_login_url", "teams_metadata_url"
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

    @field_validator("default_spaces")
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


def _complaint(location: tuple[int | str, ...], message: str, value: object) -> str:
    name = ".".join(map(str, location))
    message = message.removeprefix("Value error, ")
    # What may hold a password or a key is not repeated.
    shown = name if name in SECRET_SETTINGS else f"{name} = {str(value)[:80]!r}"
    return f"{shown}: {message[:1].lower()}{message[1:]}"
