"""The manuals, and the pages to take of each: no lists of links, and no pages that people hardly ask about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True, slots=True)
class Manual:
    """A manual in a Debian package.

    ``root``: its folder in the package. ``taken``, ``left_out``: patterns of page paths under it. ``body``: the XPath
    of what is converted. ``address``: where the manual is on the web. ``licence``: of its text. ``title``: the XPath of
    a page's title, from ``body``. ``without``: the XPath of what is no content, such as menus. ``numbers``: what is
    removed from headings. ``largest``: characters of a page; a longer one is split at its sections.
    """

    name: str
    space: str
    package: str
    version: str
    licence: str
    root: str
    address: str
    body: str
    taken: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    title: str = ".//h1"
    without: str = ""
    numbers: str = ""
    language: str = "en"
    largest: int = 60_000


_LIBRARY = """
    abc argparse array asyncio-dev asyncio-exceptions asyncio-queue asyncio-runner asyncio-stream asyncio-subprocess
    asyncio-sync asyncio-task atexit base64 bisect bz2 calendar cmd collections collections.abc concurrent.futures
    configparser constants contextlib contextvars copy csv dataclasses datetime decimal difflib email.message enum
    errno exceptions faulthandler filecmp fileinput fnmatch fractions functions functools gc getopt getpass gettext
    glob graphlib gzip hashlib heapq hmac html http.client http.cookies http.server importlib.metadata
    importlib.resources io ipaddress itertools json linecache locale logging logging.config logging.handlers math
    mimetypes multiprocessing operator os os.path pathlib pdb pickle platform pprint profile queue random re sched
    secrets select shelve shlex shutil signal site smtplib socket sqlite3 stat statistics stdtypes string struct
    subprocess sys sysconfig tarfile tempfile textwrap threading time timeit tomllib traceback tracemalloc types
    typing unicodedata unittest urllib.parse uuid venv warnings weakref zipapp zipfile zlib zoneinfo
"""

PYTHON = Manual(
    name="python",
    space="PYTHON",
    package="python3.11-doc",
    version="3.11.2-6+deb12u8",
    licence="PSF-2.0; examples in the text also 0BSD",
    root="usr/share/doc/python3.11/html",
    address="https://docs.python.org/3.11/",
    body="//div[@role='main']",
    taken=("tutorial/*.html", "howto/*.html", *(f"library/{name}.html" for name in _LIBRARY.split())),
    left_out=("*/index.html", "tutorial/appetite.html", "tutorial/whatnow.html", "howto/c*.html", "howto/py*.html"),
)

GIT = Manual(
    name="git",
    space="GIT",
    package="git-doc",
    version="1:2.39.5-0+deb12u3",
    licence="GPL-2.0-only",
    root="usr/share/doc/git-doc",
    address="https://www.kernel.org/pub/software/scm/git/docs/",
    body="//body",
    taken=("*.html",),
    left_out=(
        *("*/*", "index.html", "howto-index.html", "everyday.html", "git-stage.html", "git-init-db.html"),
        *("git-tools.html", "git-merge-one-file.html", "git-unpack-file.html", "git-citool.html", "gitweb*.html"),
        *("git-fsck-objects.html", "git-remote-helpers.html", "git-whatchanged.html", "git-annotate.html"),
        *("git-archimport.html", "*cvs*.html", "git-svn.html", "git-quiltimport.html", "git-sh-*.html"),
        *("git-mergetool--lib.html", "git-pack-redundant.html", "git-web--browse.html", "git-get-tar-*.html"),
    ),
)

APACHE = Manual(
    name="apache",
    space="HTTPD",
    package="apache2-doc",
    version="2.4.68-1~deb12u1",
    licence="Apache-2.0",
    root="usr/share/doc/apache2-doc/manual/en",
    address="https://httpd.apache.org/docs/2.4/",
    body="//div[@id='page-content']",
    taken=("*.html",),
    left_out=(
        *("index.html", "*/index.html", "sitemap.html", "license.html", "new_features_2_*.html", "developer/*"),
        *("mod/quickreference.html", "mod/directives.html", "mod/overrides.html", "mod/module-dict.html"),
        *("mod/mod_example_hooks.html", "mod/mpm_netware.html", "mod/mpmt_os2.html", "mod/mod_nw_ssl.html"),
        *("mod/mod_isapi.html", "mod/mod_dialup.html", "mod/mod_privileges.html", "platform/netware.html"),
        *("platform/ebcdic.html", "programs/other.html", "rewrite/[ap]*.html", "mod/mod_slotmem_plain.html"),
        *("mod/mod_socache_d*.html", "mod/mod_cern_meta.html", "mod/mod_charset_lite.html", "mod/mod_echo.html"),
        *("mod/mod_data.html", "mod/mod_ident.html", "mod/mod_lbmethod_byb*.html", "programs/fcgistarter.html"),
        *("mod/mod_watchdog.html", "mod/mod_slotmem_shm.html", "mod/mod_suexec.html", "platform/rpm.html"),
    ),
)

SQLITE = Manual(
    name="sqlite",
    space="SQLITE",
    package="sqlite3-doc",
    version="3.40.1-2+deb12u2",
    licence="public domain",
    root="usr/share/doc/sqlite3",
    address="https://www.sqlite.org/",
    body="//body",
    taken=("*.html",),
    left_out=(
        *("*/*", "index.html", "sqlite.html", "doc_*.html", "keyword_index.html", "sitemap.html", "doclist.html"),
        *("docs.html", "lang.html", "syntax*.html", "requirements.html", "capi3*.html", "c_interface.html"),
        *("vdbe.html", "changes.html", "news.html", "oldnews.html", "chronology.html", "session.html"),
        *("fileformat.html", "datatypes.html", "hp1.html", "pressrelease-*.html", "consortium_*.html"),
        *("copyright-release.html", "codeof*.html", "download.html", "book*.html", "crew.html", "lang_replace.html"),
        *("mingw.html", "th3.html", "sqlanalyze.html", "opcode.html", "vtab.html", "malloc.html", "tclsqlite.html"),
        *("queryplanner-ng.html", "qmplan.html", "geopoly.html", "speed.html", "privatebranch.html"),
        *("swarmvtab.html", "3?to3?.html"),
    ),
    title="//head/title",
    without="//div[contains(@class, 'nosearch') or @class='imgcontainer'] | //p[.//a[@id='mtimelink'] or ./button]",
)

_COMMANDS = """
    alterdatabase alterdefaultprivileges alterrole altersystem altertable analyze cluster copy createdatabase
    createextension createindex creatematerializedview createpolicy createpublication createrole createschema
    createsequence createsubscription createtable createtablespace createtrigger createview delete discard drop-owned
    dropdatabase dropindex droprole droptable explain grant insert listen lock merge notify prepare prepare-transaction
    reassign-owned refreshmaterializedview reindex revoke rollback-to savepoint select set set-constraints
    set-transaction truncate update vacuum values
"""

POSTGRESQL = Manual(
    name="postgresql",
    space="POSTGRESQL",
    package="postgresql-doc-15",
    version="15.18-0+deb12u1",
    licence="PostgreSQL",
    root="usr/share/doc/postgresql-doc-15/html",
    address="https://www.postgresql.org/docs/15/",
    body="//body",
    taken=(
        *(f"sql-{name}.html" for name in _COMMANDS.split()),
        *("app-[ipv]*.html", "auth-[ilpru]*.html", "backup-[df]*.html", "checksums.html", "client-*-problems.html"),
        *("collation.html", "continuous-archiving.html", "creating-cluster.html", "datatype-*.html", "ddl-*.html"),
        *("different-replication-solutions.html", "disk-*.html", "encryption-options.html", "explicit-locking.html"),
        *("functions-conditional.html", "functions-sequence.html", "hot-standby.html", "indexes-*.html", "jit-*.html"),
        *("kernel-resources.html", "libpq-pgpass.html", "limits.html", "locale.html", "logfile-maintenance.html"),
        *("logical-replication-*.html", "manage-ag-*.html", "monitoring-*.html", "multibyte.html", "mvcc-*.html"),
        *("non-durability.html", "pgstatstatements.html", "pgupgrade.html", "populate.html", "predefined-roles.html"),
        *("preventing-server-spoofing.html", "progress-reporting.html", "rangetypes.html", "role-*.html"),
        *("routine-*.html", "runtime-config-*.html", "server-s*.html", "ssh-tunnels.html", "ssl-tcp.html"),
        *("transaction-iso.html", "upgrading.html", "using-explain.html", "wal-*.html", "warm-standby*.html"),
    ),
    left_out=(
        *("app-pg*xlog.html", "app-postmaster.html", "app-postgres.html", "app-pgco*.html", "app-pgrec*.html"),
        *("app-pgamcheck.html", "app-pgresetwal.html", "app-pgverifybackup.html", "auth-pam.html", "auth-radius.html"),
        *("datatype-oid.html", "datatype-p*.html", "datatype-textsearch.html", "datatype-xml.html", "ddl-others.html"),
        *("ddl-foreign-data.html", "ddl-inherit.html", "indexes-bitmap-scans.html", "indexes-collations.html"),
        *("indexes-o*.html", "jit-extensibility.html", "logical-replication-quick-setup.html", "wal-intro.html"),
        *("manage-ag-dropdb.html", "runtime-config-custom.html", "runtime-config-developer.html", "server-start.html"),
        "runtime-config-short.html",
    ),
    title=".//h2",
    without="//div[@class='navheader' or @class='navfooter']",
)

_NUMBERS = r"^\s*(?:Kapitel\s)?(?:\d+\.)+\s+"
_DOCBOOK_MENUS = ".//div[@class='navheader' or @class='navfooter' or @class='toc']"
_GermanManual = partial(Manual, numbers=_NUMBERS, language="de", largest=9_000)

DEVELOPERS_REFERENCE = _GermanManual(
    name="devref",
    space="ENT",
    package="developers-reference-de",
    version="12.18",
    licence="GPL-2.0-or-later",
    root="usr/share/developers-reference/de",
    address="https://www.debian.org/doc/manuals/developers-reference/",
    body="//div[@role='main']",
    taken=("*.html",),
    left_out=("index.html", "genindex.html", "search.html"),
)

DEBIAN_FAQ = _GermanManual(
    name="faq",
    space="FAQ",
    package="debian-faq-de",
    version="11.1",
    licence="free to copy and to change under the same terms",
    root="usr/share/doc/debian/FAQ/de",
    address="https://www.debian.org/doc/manuals/debian-faq/",
    body="//body",
    taken=("*.html",),
    left_out=("index.de.html",),
    title=".//*[@class='title']",
    without=_DOCBOOK_MENUS,
)

DEBIAN_EDU = _GermanManual(
    name="edu",
    space="EDU",
    package="debian-edu-doc-de",
    version="2.12.23~deb12u1",
    licence="GPL-2.0-or-later",
    root="usr/share/doc/debian-edu-doc-de",
    address="https://jenkins.debian.net/userContent/debian-edu-doc/debian-edu-doc-de/",
    body="//body",
    taken=("debian-edu-bookworm-manual.html",),
    title=".//*[@class='title']",
    without=_DOCBOOK_MENUS,
)

MANUALS: dict[str, tuple[Manual, ...]] = {
    **{manual.name: (manual,) for manual in (PYTHON, GIT, APACHE, SQLITE, POSTGRESQL)},
    "german": (DEVELOPERS_REFERENCE, DEBIAN_FAQ, DEBIAN_EDU),
}
