"""Code templates: placeholders for what belongs to one case."""

import pytest

from indexing.learning.diffs import files_of, language_of, parsed
from indexing.learning.message import message_of
from indexing.learning.templates import filled, template_of


def template(diff, raw="Error: it broke somewhere"):
    return template_of(parsed(diff), message_of(raw))


def test_what_a_null_check_checks_and_its_sentence_are_placeholders():
    made = template(
        '+ if (user == null) {\n+   throw new ValidationError("User is required");\n+ }\n',
        "TypeError: Cannot read property 'email' of null",
    )
    assert made.code == (
        'if ({{variable}} == null) {\n  throw new ValidationError("{{message}}");\n}'
    )
    assert sorted(made.placeholders) == ["message", "variable"]


def test_a_name_that_the_error_and_the_code_have_is_a_placeholder():
    made = template("+import yaml\n", "ModuleNotFoundError: No module named 'yaml'")
    assert made.code == "import {{module}}"
    assert filled(made.code, {"module": "toml"}) == "import toml"


@pytest.mark.parametrize("diff", ["-gone\n", "", "+\n", "@@ -1 +1 @@\n context\n"])
def test_without_an_added_line_there_is_no_template(diff):
    assert template(diff) is None


def test_a_hunk_without_end_is_no_template():
    assert template("".join(f"+line {n}\n" for n in range(500))) is None


def test_code_that_shares_no_name_has_no_placeholder():
    made = template("+x = 1\n")
    assert made.code == "x = 1"
    assert not made.is_general


def test_a_word_of_another_word_is_left_alone():
    made = template("+yamlish = yaml.load(yaml_text)\n", "NameError: name 'yaml' is not defined")
    assert made.code == "yamlish = {{name}}.load(yaml_text)"


def test_a_git_diff_is_read_with_its_files():
    diff = (
        "diff --git a/src/a.py b/src/a.py\nindex 1..2 100644\n--- a/src/a.py\n+++ b/src/a.py\n"
        "@@ -1,2 +1,2 @@\n-old = 1\n+new = 1\n context\n+more = 2\n"
    )
    made = parsed(diff)
    assert made.files == ("src/a.py",)
    assert (made.added, made.removed) == (("new = 1", "more = 2"), ("old = 1",))
    assert made.hunks == (("new = 1",), ("more = 2",))


def test_a_file_that_goes_away_is_named_by_its_old_name():
    assert files_of("--- a/x.py\n+++ /dev/null\n-gone\n") == ()
    assert files_of("diff --git a/x.py b/x.py\n--- a/x.py\n+++ /dev/null\n") == ("x.py",)


@pytest.mark.parametrize(
    ("files", "language"),
    [
        (("src/a.ts", "package.json"), "typescript"),
        (("Dockerfile",), "dockerfile"),
        (("a.json",), "json"),
        (("README",), ""),
    ],
)
def test_the_language_is_that_of_the_code(files, language):
    assert language_of(files) == language
