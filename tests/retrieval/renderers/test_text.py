"""Plain lines by default; wrapped and coloured on a terminal."""

import subprocess
import sys
from pathlib import Path

from hits import exact, hit

from retrieval.renderers.text import hits

FOUND = exact(
    "npm ci fails",
    raw="npm ERR! ERESOLVE",
    fix="Raise it.",
    worked=("First this.", "Then that."),
    failed="--force",
    gotchas="npm 8",
    template="if x:\n\ty()",
    applied=4,
    helped=3,
)


def test_every_field_is_a_line_under_its_hit():
    weak = hit("other", score=31, cosine=0.4, jaccard=0.125, words=("npm", "ci"), files=("a",))

    assert hits([FOUND, weak], FOUND.entry.signature, 3.14) == (
        "npm: npm ERR! ERESOLVE\n"
        "   abababababababab by npm:error\n"
        "\n"
        "1  exact 100  npm ci fails (failure)\n"
        "   why       same signature\n"
        "   happened  npm ERR! ERESOLVE\n"
        "   fix       Raise it.\n"
        "   worked    First this.\n"
        "             Then that.\n"
        "   failed    --force\n"
        "   gotcha    npm 8\n"
        "   template  if x:\n"
        "                 y()\n"
        "   evidence  fixed it 3 of 4 times\n"
        "   from      memory/failures.json, failures[3]\n"
        "\n"
        "2  lexical 31  other (failure)\n"
        "   why       text 0.40, files 0.12\n"
        "   words     npm, ci\n"
        "   from      memory/failures.json, failures[3]\n"
        "\n"
        "2 hits in 3.1 ms\n"
    )


def test_markup_of_rich_is_shown_as_it_is():
    text = "[red]x[/red] :fire: [link=a]b[/link] [/]"

    assert text in hits([hit(fix=text)], None, 1.0)
    assert text in hits([hit(fix=text)], None, 1.0, width=80, colour=True)


def test_lines_are_as_wide_as_asked_and_their_rest_is_under_them():
    made = hits([hit(fix="word " * 60)], None, 1.0, width=50)

    assert max(map(len, made.splitlines())) <= 50
    assert "   fix       word word" in made
    assert "\n             word word" in made


def test_wide_characters_take_two_columns():
    made = hits([hit(fix="構" * 60)], None, 1.0, width=53)

    assert "   fix       " + "構" * 20 + "\n" in made


def test_no_colour_is_no_escape_and_colour_is():
    assert "\x1b" not in hits([FOUND], None, 1.0, width=80)
    assert "\x1b[32mRaise it.\x1b[0m" in hits([FOUND], None, 1.0, width=80, colour=True)


def test_the_environment_changes_nothing(monkeypatch):
    before = hits([FOUND], None, 1.0, width=60, colour=True)

    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb"), ("COLUMNS", "9"), ("FORCE_COLOR", "")):
        monkeypatch.setenv(name, value)

    assert hits([FOUND], None, 1.0, width=60, colour=True) == before


def test_a_narrow_terminal_still_shows_the_words():
    assert "Raise it." in hits([FOUND], None, 1.0, width=1)


def test_rich_is_loaded_only_where_lines_are_wrapped():
    code = (
        "import sys; from retrieval.renderers.text import hits; hits([], None, 1.0);"
        "print('rich' in sys.modules); hits([], None, 1.0, width=40); print('rich' in sys.modules)"
    )

    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.split() == ["False", "True"]
