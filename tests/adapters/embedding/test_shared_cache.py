from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from adapters.embedding.shared_cache import SharedCache


@given(st.lists(st.tuples(st.integers(0, 9), st.text(max_size=12))), st.integers(1, 20))
def test_a_found_value_is_the_last_one_that_was_added(added: list[tuple[int, str]], most: int) -> None:
    cache: SharedCache[int, str] = SharedCache(most, len)
    cache.add(added)
    found = cache.find(range(10))
    assert sum(map(len, found.values())) <= most
    last = {key: value for key, value in added if len(value) <= most}
    assert found.items() <= last.items()
    cache.clear()
    assert cache.find(range(10)) == {}


def test_threads_that_displace_each_others_values_find_right_ones_or_none() -> None:
    cache: SharedCache[int, int] = SharedCache(50)

    def work(offset: int) -> bool:
        right = True
        for number in range(3_000):
            key = (number * 7 + offset) % 100
            cache.add([(key, key * 2)])
            right &= cache.get(key) in (None, key * 2)
            right &= all(value == at * 2 for at, value in cache.find(range(key, key + 5)).items())
        return right

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(8)))
