"""Tables as rows of headers and values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evidence.blocks import Cell, Table
from core.evidence.budget import Budget
from core.evidence.tables import resolve_spans, resolve_table
from tests.core.evidence.pages import code, macro, rows, texts


def lines(content: str) -> list[str]:
    return texts(content, "table_row")


def test_a_row_is_verbalised_as_in_the_paper() -> None:
    assert lines(rows("th:Task | th:Owner | th:Due", "Book a room | Alice | Friday", "Send notes | Bob | Monday")) == [
        "Row 1 in Table 1: Task is Book a room, and Owner is Alice, and Due is Friday",
        "Row 2 in Table 1: Task is Send notes, and Owner is Bob, and Due is Monday",
    ]


def test_tables_of_a_page_are_numbered() -> None:
    one = rows("th:A | th:B", "1 | 2")
    assert [line[:16] for line in lines(one + "<p>x</p>" + one)] == ["Row 1 in Table 1", "Row 1 in Table 2"]


def test_a_cell_across_columns_comes_once_under_all_its_headers() -> None:
    markup = (
        "<table><tr><th>Day</th><th>Morning</th><th>Noon</th></tr><tr><td>Mo</td>"
        "<td colspan='2'>closed</td></tr></table>"
    )
    assert lines(markup) == ["Row 1 in Table 1: Day is Mo, and Morning / Noon is closed"]


def test_a_cell_across_rows_stands_in_each() -> None:
    markup = (
        "<table><tr><th>OS</th><th>V</th></tr><tr><td rowspan='2'>Linux</td><td>5</td></tr><tr><td>6</td></tr></table>"
    )
    assert lines(markup) == ["Row 1 in Table 1: OS is Linux, and V is 5", "Row 2 in Table 1: OS is Linux, and V is 6"]


def test_spans_beyond_the_table_end_with_it() -> None:
    markup = (
        "<table><tr><th>A</th><th>B</th></tr><tr><td rowspan='99'>x</td>"
        "<td colspan='10000'>y</td></tr><tr><td>z</td></tr></table>"
    )
    assert lines(markup) == ["Row 1 in Table 1: A is x, and B is y", "Row 2 in Table 1: A is x, and B is z"]


def test_a_row_that_is_all_spanned_is_no_row() -> None:
    markup = (
        "<table><tr><th>A</th><th>B</th></tr><tr><td rowspan='2'>x</td><td rowspan='2'>y</td></tr>"
        "<tr></tr><tr><td>1</td><td>2</td></tr></table>"
    )
    assert lines(markup) == ["Row 1 in Table 1: A is x, and B is y", "Row 2 in Table 1: A is 1, and B is 2"]


TWO_HEADERS = (
    "<table><tr><th>Line</th><th colspan='2'>Ticket</th></tr><tr>{second}</tr>"
    "<tr><td>South</td><td>4 €</td><td>9 €</td></tr><tr><td>North</td><td>5 €</td><td>9 €</td></tr></table>"
)


def test_a_row_of_plain_cells_below_a_merged_header_names_its_columns() -> None:
    assert lines(TWO_HEADERS.format(second="<td></td><td>Single</td><td>Day</td>")) == [
        "Row 1 in Table 1: Line is South, and Ticket > Single is 4 €, and Ticket > Day is 9 €",
        "Row 2 in Table 1: Line is North, and Ticket > Single is 5 €, and Ticket > Day is 9 €",
    ]


def test_the_columns_below_each_merged_header_may_have_the_same_names() -> None:
    markup = (
        "<table><tr><th>Line</th><th colspan='2'>Week 50</th><th colspan='2'>Week 51</th></tr>"
        "<tr><th></th><td>Early</td><td>Late</td><td>Early</td><td>Late</td></tr>"
        "<tr><th>Pumps</th><td>Ann</td><td>Bo</td><td>Cy</td><td>–</td></tr></table>"
    )
    [line] = lines(markup)
    assert "Week 50 > Late is Bo" in line.replace("Pumps, ", "")
    assert "Week 51 > Early is Cy" in line.replace("Pumps, ", "")


@pytest.mark.parametrize(
    "second",
    [
        "<td>East</td><td>Single</td><td>Day</td>",
        "<td></td><td>3 €</td><td>8</td>",
        "<td></td><td>free</td><td>free</td>",
        "<td></td><td>free</td><td></td>",
    ],
)
def test_a_row_of_data_below_a_merged_header_is_data(second: str) -> None:
    assert len(lines(TWO_HEADERS.format(second=second))) == 3


def test_several_header_rows_join() -> None:
    markup = (
        "<table><tr><th rowspan='2'>Model</th><th colspan='2'>Legacy</th></tr><tr><th>Install</th>"
        "<th><p>OTA</p><p>8 → 9</p></th></tr>"
        "<tr><td>X1</td><td>Pass</td><td>Fail</td></tr></table>"
    )
    assert lines(markup) == [
        "Row 1 in Table 1: Model is X1, and Legacy > Install is Pass, and Legacy > OTA 8 → 9 is Fail"
    ]


def test_header_columns_with_a_named_corner_are_values() -> None:
    assert lines(rows("th:Fish | th:2004", "th:Tuna | 9")) == ["Row 1 in Table 1: Fish is Tuna, and 2004 is 9"]


@pytest.mark.parametrize("corner", ["", "th:"])
def test_header_columns_under_an_empty_corner_name_the_row(corner: str) -> None:
    found = lines(rows(f"{corner} | th:Basic | th:Pro", "th:Price | 5 | 9", "th:SSO | | x"))
    assert found == ["Row 1 in Table 1: Price, Basic is 5, and Price, Pro is 9", "Row 2 in Table 1: SSO, Pro is x"]


@pytest.mark.parametrize(
    "markup",
    [
        rows("th:Owner | Alice", "th:Status | green"),
        rows("Owner: | Alice", "Status: | green"),
        rows("<b>Owner</b> | Alice", "<p><strong>Status</strong></p> | green"),
    ],
)
def test_key_value_tables_pair_key_and_value(markup: str) -> None:
    assert lines(markup) == ["Row 1 in Table 1: Owner is Alice", "Row 2 in Table 1: Status is green"]


@pytest.mark.parametrize("mark", ["th:{}", "<strong>{}</strong>", "{}:"])
def test_several_labels_with_their_values_in_each_row_are_a_row_each(mark: str) -> None:
    host, owner, site, ram = map(mark.format, ("Host", "Owner", "Site", "RAM"))
    found = lines(rows(f"{host} | hb-01 | {owner} | Olaf", f"{site} | Bremen | {ram} | 16 GB"))
    assert [line.partition(": ")[2] for line in found] == [
        "Host is hb-01", "Owner is Olaf", "Site is Bremen", "RAM is 16 GB",
    ]  # fmt: skip


def test_a_last_label_alone_and_a_wide_value_are_a_row_each_too() -> None:
    table = (
        "<table><tr><th>Host</th><td>hb-01</td><th>Owner</th><td>Olaf</td></tr>"
        "<tr><th>Site</th><td>Bremen</td><th>RAM</th><td>16 GB</td></tr>"
        "<tr><th>Purpose</th><td colspan='3'>Prints</td></tr>"
        "<tr><th>Rack</th><td>A4</td><td></td><td></td></tr></table>"
    )
    assert [line.partition(": ")[2] for line in lines(table)][-2:] == ["Purpose is Prints", "Rack is A4"]


def test_a_table_with_a_header_row_is_not_taken_for_pairs() -> None:
    found = lines(rows("th:A | th:B | th:C | th:D", "th:1 | 2 | th:3 | 4"))
    assert found == ["Row 1 in Table 1: A is 1, and B is 2, and C is 3, and D is 4"]


def test_a_first_row_label_beside_an_empty_cell_is_no_header_row() -> None:
    assert lines(rows("th:Sponsor | ", "th:Owner | Alice")) == [
        "Row 1 in Table 1: Sponsor",
        "Row 2 in Table 1: Owner is Alice",
    ]


@pytest.mark.parametrize("first", ["Name | Role", "<b>Name</b> | <b>Role</b>"])
def test_without_th_a_first_row_that_looks_like_a_header_is_one(first: str) -> None:
    assert lines(rows(first, "Alice | admin since 2020", "Bob | user")) == [
        "Row 1 in Table 1: Name is Alice, and Role is admin since 2020",
        "Row 2 in Table 1: Name is Bob, and Role is user",
    ]


@pytest.mark.parametrize(
    "first",
    [
        "alice@acme.org | admin",
        "12 | 30",
        "/etc/hosts | admin",
        "This is a whole sentence of words. | admin",
        "Eve | user",
        "Eve | ",
    ],
)
def test_without_th_a_first_row_of_data_is_data(first: str) -> None:
    assert lines(rows(first, "Bob | user"))[1] == "Row 2 in Table 1: Bob, and user"


def test_without_th_a_first_row_with_a_code_like_those_below_is_data() -> None:
    below = ("Tornado | tornado-celery", "Tryton | celery_tryton", "Flask | not needed")
    assert lines(rows("Pyramid | pyramid_celery", *below))[0] == "Row 1 in Table 1: Pyramid, and pyramid_celery"
    assert (
        lines(rows("Tool | tool_package", *below))[0]
        == "Row 1 in Table 1: Tool is Tornado, and tool_package is tornado-celery"
    )


def test_empty_cells_and_rows_say_nothing() -> None:
    assert lines(rows("th:A | th:B | th:C", "1 | | 3", " | | ", "4 | &nbsp; | 6")) == [
        "Row 1 in Table 1: A is 1, and C is 3",
        "Row 2 in Table 1: A is 4, and C is 6",
    ]


def test_a_full_width_row_is_a_section_of_those_below() -> None:
    markup = (
        "<table><tr><th>Part</th><th>Price</th></tr><tr><td colspan='2'>Engine</td></tr><tr>"
        "<td>Bolt</td><td>1</td></tr>"
        "<tr><th colspan='2'>Body</th></tr><tr><td>Door</td><td>9</td></tr></table>"
    )
    assert lines(markup) == [
        "Row 1 in Table 1 (Engine): Part is Bolt, and Price is 1",
        "Row 2 in Table 1 (Body): Part is Door, and Price is 9",
    ]


def test_a_full_width_row_over_nothing_or_as_long_as_a_remark_is_a_row() -> None:
    remark = "Prices are without tax. " * 8
    markup = (
        f"<table><tr><th>Part</th><th>Price</th></tr><tr><td colspan='2'>{remark}</td></tr><tr>"
        "<td>Bolt</td><td>1</td></tr>"
        "<tr><td colspan='2'>All in euro</td></tr></table>"
    )
    assert lines(markup) == [
        f"Row 1 in Table 1: {remark.strip()}",
        "Row 2 in Table 1: Part is Bolt, and Price is 1",
        "Row 3 in Table 1: All in euro",
    ]


def test_a_section_straight_before_another_is_not_lost() -> None:
    sections = "".join(f"<tr><td colspan='2'>{name}</td></tr>" for name in ("Empty", "Engine"))
    markup = f"<table><tr><th>Part</th><th>Price</th></tr>{sections}<tr><td>Bolt</td><td>1</td></tr></table>"
    assert lines(markup) == ["Row 1 in Table 1: Empty", "Row 2 in Table 1 (Engine): Part is Bolt, and Price is 1"]


def test_a_title_row_above_the_header_is_a_section() -> None:
    markup = (
        "<table><tr><th colspan='2'>Contacts</th></tr><tr><th>Who</th><th>Phone</th></tr><tr>"
        "<td>Bob</td><td>12</td></tr></table>"
    )
    assert lines(markup) == ["Row 1 in Table 1 (Contacts): Who is Bob, and Phone is 12"]


def test_a_title_and_an_empty_row_of_a_spreadsheet_stand_above_the_header() -> None:
    bold = "<strong>Level</strong> | <strong>Options</strong> | <strong>Value</strong>"
    assert lines(rows("<strong>Version 2</strong> | | ", " | | ", bold, "IC4 | 6,830 | $45,456")) == [
        "Row 1 in Table 1 (Version 2): Level is IC4, and Options is 6,830, and Value is $45,456"
    ]


def test_a_header_row_may_stand_below_a_title_and_an_empty_row_too() -> None:
    assert lines(rows("Costs | | ", " | | ", "th:A | th:B | th:C", "1 | 2 | 3")) == [
        "Row 1 in Table 1 (Costs): A is 1, and B is 2, and C is 3"
    ]


def test_bold_numbers_below_a_row_of_one_cell_are_data() -> None:
    total = "<strong>Total</strong> | <strong>4</strong> | <strong>1,400 kg</strong>"
    assert lines(rows("Utrecht | | ", total, "Ghent | 4 | 5"))[0] == "Row 1 in Table 1: Utrecht"


def test_rows_of_one_cell_above_rows_without_bold_labels_are_data() -> None:
    assert lines(rows("Utrecht | | ", "Ghent | four | heavy", "Lund | three | light")) == [
        "Row 1 in Table 1: Utrecht",
        "Row 2 in Table 1: Ghent, and four, and heavy",
        "Row 3 in Table 1: Lund, and three, and light",
    ]


def test_repeated_header_rows_take_over() -> None:
    assert lines(rows("th:A | th:B", "1 | 2", "th:C: | th:D", "3 | 4")) == [
        "Row 1 in Table 1: A is 1, and B is 2",
        "Row 2 in Table 1: C is 3, and D is 4",
    ]


def test_a_table_of_headers_only_still_says_what_it_says() -> None:
    assert lines(rows("th:A | th:B", "th:C | th:D")) == ["Row 1 in Table 1: A is C, and B is D"]
    assert lines(rows("th:A | th:B")) == ["Row 1 in Table 1: A", "Row 2 in Table 1: B"]


def test_thead_and_numbering_column_and_caption() -> None:
    markup = (
        "<table><caption>Rooms</caption><thead><tr><td class='numberingColumn'></td><td>Room</td>"
        "<td>Seats</td></tr></thead>"
        "<tbody><tr><td class='numberingColumn'>1</td><td>Oak</td><td>8</td></tr></tbody></table>"
    )
    assert lines(markup) == ["Row 1 in Table 1: Room is Oak, and Seats is 8"]
    assert texts(markup, "table") == ["Rooms\nRow 1 in Table 1: Room is Oak, and Seats is 8"]


def test_nested_tables_are_told_in_the_cell_and_as_tables_of_their_own() -> None:
    assert lines(rows("th:K | th:V", f"k | see {rows('th:X | th:Y', '1 | 2')}")) == [
        "Row 1 in Table 1: K is k, and V is see; X, Y; 1, 2",
        "Row 1 in Table 2: X is 1, and Y is 2",
    ]


def test_a_single_cell_is_a_frame_and_no_table() -> None:
    assert [(found, texts(rows("<p>a</p><p>b</p>"), found)) for found in ("passage", "table")] == [
        ("passage", ["a\nb"]),
        ("table", []),
    ]


def test_one_row_of_columns_with_lists_is_a_layout() -> None:
    markup = rows("<h2>Left</h2><ul><li>a</li></ul> | <p>Right</p>")
    assert texts(markup) == ["- a", "Right"]


def test_lines_and_items_of_a_cell_stay_apart() -> None:
    cell = "<p>One</p><p>Two.</p><ul><li>x</li><li>y.</li></ul>z"
    assert lines(rows("th:A | th:B", f"1 | {cell}")) == ["Row 1 in Table 1: A is 1, and B is One; Two. x; y. z"]


def test_code_in_a_cell_stays_verbatim() -> None:
    script = code("a  b\n c", language="sh")
    assert lines(rows("th:A | th:B", f"1 | Run: {script} then {macro('status', title='OK')}")) == [
        "Row 1 in Table 1: A is 1, and B is Run:\n```sh\na  b\n c\n```\nthen OK"
    ]


def test_a_header_as_long_as_a_page_is_data() -> None:
    found = lines(rows(f"th:{'word ' * 300}| th:B", "1 | 2"))
    assert found[0].startswith("Row 1 in Table 1: word word")
    assert found[-1] == "Row 2 in Table 1: 1, and 2"


cells = st.builds(
    Cell,
    text=st.sampled_from(["", "a", "b", "c d", "5"]),
    header=st.booleans(),
    strong=st.booleans(),
    colspan=st.integers(1, 4),
    rowspan=st.integers(1, 4),
)
tables = st.builds(
    Table,
    rows=st.lists(st.lists(cells, max_size=5).map(tuple), max_size=6).map(tuple),
    head_rows=st.integers(0, 7),
)


@given(tables)
def test_every_grid_is_a_rectangle_that_holds_every_cell(written: Table) -> None:
    grid = resolve_spans(written, Budget())
    assert len({len(row) for row in grid}) <= 1
    placed = {id(cell) for row in grid for cell in row}
    assert all(id(cell) in placed for row in written.rows for cell in row)


@given(tables)
def test_every_table_is_read_and_rows_are_numbered_from_one(written: Table) -> None:
    found = resolve_table(written, 3, Budget())
    assert [row.number for row in found.rows] == list(range(1, len(found.rows) + 1))
    assert all(value for row in found.rows for _, value in row.cells)
    assert bool(found.rows) == any(cell.text for row in written.rows for cell in row)
