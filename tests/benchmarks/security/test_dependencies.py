from __future__ import annotations

from benchmarks.security.dependencies import LOCKS, ROOT, find_unpinned, read_report

REPORT = {
    "dependencies": [
        {"name": "good", "version": "1.0", "vulns": []},
        {
            "name": "bad",
            "version": "2.0",
            "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"], "aliases": ["CVE-1"], "description": ""}],
        },
        {"name": "unknown", "skip_reason": "Dependency not found on PyPI"},
    ],
    "fixes": [],
}


def test_every_package_of_the_lock_files_has_a_version_and_hashes() -> None:
    for name in LOCKS:
        assert find_unpinned((ROOT / name).read_text("utf-8")) == []


def test_a_package_without_version_or_hash_is_found() -> None:
    lock = "# comment\nfine==1.0 \\\n    --hash=sha256:ab\nloose>=1.0 \\\n    --hash=sha256:ab\nunhashed==1.0\n"
    assert find_unpinned(lock) == ["loose>=1.0", "unhashed==1.0"]


def test_a_vulnerability_is_reported_unless_it_is_accepted() -> None:
    found = read_report(REPORT)
    assert found.audited == 2
    assert found.skipped == ("unknown",)
    assert found.vulnerable == ("bad 2.0: PYSEC-1, fixed in 2.1",)
    assert read_report(REPORT, {"CVE-1": "not used here"}).vulnerable == ()
