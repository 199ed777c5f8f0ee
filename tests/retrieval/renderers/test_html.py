"""A fragment that stands alone, in which memory text opens nothing."""

from html.parser import HTMLParser

from hits import exact
from hypothesis import given
from hypothesis import strategies as st

from retrieval.renderers.html import hits


class Tags(HTMLParser):
    """Collects what a browser would open, close and show."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.opened: list[tuple[str, ...]] = []
        self.closed: list[str] = []
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append((tag, *(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.closed.append(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


def page(text: str) -> Tags:
    found = exact(text, raw="r" + text, fix="f" + text, worked=("a" + text, "b" + text))
    return Tags(hits([found], found.entry.signature, 1.0))


@given(st.text("<>&\"'`=/! scriptonload-", max_size=40))
def test_no_text_opens_or_closes_anything(text):
    assert page(text).opened == page("x").opened
    assert page(text).closed == page("x").closed


def test_every_tag_is_closed_and_nothing_is_fetched_or_run():
    made = page("x")

    assert sorted(tag for tag, *_ in made.opened) == sorted(made.closed)
    assert {name for _, *names in made.opened for name in names} <= {"class", "style"}
    assert not {"script", "style", "link", "img"} & set(made.closed)


def test_text_is_read_as_it_was_written():
    assert '<b>&amp; "it\'s"</b>' in page('<b>&amp; "it\'s"</b>').words


def test_a_template_keeps_its_lines():
    assert "<pre>if x:\n    y()</pre>" in hits([exact(template="if x:\n    y()\n")], None, 1.0)
