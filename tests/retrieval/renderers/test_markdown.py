"""Markdown in which memory text stays text, as a Markdown parser sees it."""

import pytest
from hits import exact, hit
from markdown_it import MarkdownIt

from retrieval.renderers.markdown import hits

HOSTILE = [
    "# heading",
    "- item",
    "+ item",
    "12. item",
    "3) item",
    "===",
    "---",
    "> quote",
    "```",
    "`code` and ``more``",
    "*stress* __more__ ~~gone~~",
    "[link](http://x) ![image](http://x) <http://x>",
    "<script>alert(1)</script> <!-- x -->",
    "&lt; &amp; \\* $x$",
    "| a | b |",
]


def shown(text: str) -> tuple[list[str], str]:
    """The kinds of the blocks, and all that a reader would read."""
    tokens = MarkdownIt("commonmark").parse(text)
    inner = [child for token in tokens for child in token.children or [token]]
    return [token.type for token in tokens], " ".join(t.content for t in inner if t.content)


@pytest.mark.parametrize("text", HOSTILE)
def test_memory_text_is_read_as_it_was_written(text):
    plain, _ = shown(hits([hit("x", fix="x", worked=("x", "x"))], None, 1.0))

    kinds, words = shown(hits([hit(text, fix=text, worked=(text, text))], None, 1.0))

    assert kinds == plain
    assert "".join(words.split()).count("".join(text.split())) == 4


def test_a_template_stands_in_a_fence_longer_than_its_own():
    made = hits([hit(template="a\n````\nb")], None, 1.0)

    kinds, _ = shown(made)
    assert kinds.count("fence") == 1
    assert "  `````\n  a\n  ````\n  b\n  `````\n" in made


def test_one_text_stands_in_its_line_and_several_in_a_list():
    made = hits([exact(fix="a", worked=("b", "c"))], None, 1.0)

    assert "- **fix:** a\n- **worked:**\n  - b\n  - c\n" in made
