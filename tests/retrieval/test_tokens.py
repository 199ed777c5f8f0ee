import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.tokens import digest, file_key, file_keys, names, title_words, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("npm ERR! code ERESOLVE", ["npm", "err", "code", "eresolve"]),
        (
            "requests.exceptions.SSLError",
            ["requests.exceptions.sslerror", "requests", "exceptions", "sslerror", "ssl", "error"],
        ),
        ("error[E0308]", ["error", "e0308", "0308"]),
        ("CVE-2024-1234", ["cve-2024-1234", "cve", "2024", "1234"]),
        ("snake_case __init__", ["snake_case", "snake", "case", "__init__", "init"]),
        ("HTTPServer2", ["httpserver2", "http", "server"]),
        ("react 18.2.0", ["react", "18.2.0", "18"]),
        ("größeÜber 日本語", ["größeüber", "日本語"]),
        ("", []),
    ],
)
def test_code_is_split_where_people_would_split_it(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize("text", ["a b c", "! ? .", "x-y"])
def test_single_letters_and_signs_are_no_words(text):
    assert words(text) == []


def test_encoded_data_is_no_word():
    assert words("key " + "aB3" * 1000) == ["key"]


@given(st.text())
def test_plain_words_are_those_of_scikit_learn(text):
    text_module = pytest.importorskip("sklearn.feature_extraction.text")

    assert words(text, plain=True) == text_module.TfidfVectorizer().build_analyzer()(text)


@given(st.text())
def test_words_are_lower_case_and_the_same_every_time(text):
    found = words(text)

    assert found == words(text)
    assert all(len(word) >= 2 and word == word.lower() for word in found if word.isascii())


def test_a_title_is_a_set_of_alphanumeric_words():
    assert title_words("Fix: token_refresh, Token 2!") == {"fix", "token", "refresh", "2"}


@pytest.mark.parametrize("path", ["src/a.py", "./src/a.py", ".\\src\\a.py", " src/a.py "])
def test_a_path_has_one_spelling(path):
    assert file_key(path) == "src/a.py"


def test_unknown_files_stay_unknown_and_none_stays_none():
    assert file_keys(None) is None
    assert file_keys(()) == {}
    assert list(file_keys(("b.py", "./a.py", "a.py"))) == ["a.py", "b.py"]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("old.py => new.py", "old.py", "new.py"),
        ("src/{auth => session}/token.py", "src/auth/token.py", "src/session/token.py"),
        ("src/{old.py => new.py}", "src/old.py", "src/new.py"),
        ("{ => src}/a.py", "a.py", "src/a.py"),
        ("src/{lib => }/a.py", "src/lib/a.py", "src/a.py"),
        ("/srv/{a => b}/c.py", "/srv/a/c.py", "/srv/b/c.py"),
        ("a{1}.py => b{1}.py", "a{1}.py", "b{1}.py"),
    ],
)
def test_a_rename_in_the_notation_of_git_is_two_paths(path, old, new):
    assert names(path) == (old, new)
    assert file_keys((path,)) == {old: path, new: path}


@pytest.mark.parametrize("path", ["src/a.py", "src/{a,b}.py", "src/a=>b.py"])
def test_what_is_no_rename_is_one_path(path):
    assert names(path) == (path,)


def test_paths_of_other_case_are_other_files():
    assert file_key("src/A.py") != file_key("src/a.py")


def test_the_digest_tells_how_words_were_taken():
    # When this fails, `words` has changed: see that _VERSION or a pattern has too.
    assert digest() != digest(plain=True)
    assert digest() == digest()


def test_words_that_say_nothing_are_left_out_and_those_that_deny_are_not():
    assert words("The module was not found, and is now without a name") == [
        "module",
        "not",
        "found",
        "without",
        "name",
    ]
    assert "the" in words("the module", plain=True)
