import json
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexing import redact as redact_module
from indexing.redact import redact, suspect, suspects

DRAWN = "a1B2" * 9

SHAPES = [
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ghp_" + DRAWN,
    "github_pat_" + "11ABC" * 8,
    "glpat-" + "abcDEF123456-_789xyz",
    "npm_" + DRAWN,
    "pypi-AgEIcHlwaS5vcmc" + DRAWN,
    "xox" + "b-123456789012-abcdefGHIJ",
    "sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc",
    "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r",
    "hf_" + DRAWN,
]

# the text, and what of it must be gone
PLACED = [
    ("Authorization: Bearer abc123def", "abc123def"),
    ("authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    ("sent Bearer dXNlcjpwYXNzd29yZA== to it", "dXNlcjpwYXNzd29yZA"),
    ("redis://:s3cr3t@db:6379/0", "s3cr3t"),
    ("API_KEY=abcdef", "abcdef"),
    ("DB_PASSWORD=hunter2", "hunter2"),
    ("password: hunter2", "hunter2"),
    ("login --password hunter2 --verbose", "hunter2"),
    ("X-Auth-Token: 3f2a9c4d5e6f7a8b", "3f2a9c4d5e6f7a8b"),
    ("//registry.example/:_authToken=00000000-1111-2222-3333-444444444444", "00000000-1111"),
    ("<password>hunter2</password>", "hunter2"),
    ("curl -u bob:hunter2 https://api.example", "hunter2"),
    ("AccountKey=abc123def456==;Endpoint=x", "abc123def456"),
    ("GET https://api.example/x?access_token=abcdef&page=2", "abcdef"),
    ('secret = "correct horse battery"', "battery"),
    ("{'token': 'abcdef'}", "abcdef"),
    ('{"password": 123456}', "123456"),
    ("SECRET=" + "longer than a line of it ".replace(" ", "-") * 400, "than-a-line"),
]

UNCHANGED = [
    "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "sha256:" + "ab12" * 16,
    "https://github.com/o/r/commit/4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "the key to the token is a secret: ask",
    "Unexpected token: punc (;)",
    "SyntaxError: Unexpected token } in JSON at position 40",
    "token: 3",
    "max_tokens=500, token_count: 12, keys: 4",
    "System.Web, Version=4.0.0.0, PublicKeyToken=b77a5c561934e089",
    'secret "db-creds" not found',
    "password=${DB_PASSWORD}",
    "login(token=token, password=password)",
    "token = get_token()",
    "npm_config_registry=http://localhost:4873/",
    "password: must be at least 8 characters",
    "Bearer token is missing",
    "basic configuration-management-2",
    "git@github.com:owner/repo.git and http://localhost:8080/path",
    "docker run -u 1000:1000 image",
    'WWW-Authenticate: Basic realm="x1234567"',
    "Authorization: required",
    "use --token to pass it",
    "KeyError: 'token'",
    "api_key=None",
]

PROSE = (
    "The key question is who holds the token. A secret shared by three is no secret, and a token"
    " of trust is key to all of it. Basic auth was the bearer of bad news: the password was wrong,"
    " the api key missing, the credentials expired. See the section on private keys; tokens: 12."
)


@pytest.mark.parametrize("secret", SHAPES)
@pytest.mark.parametrize("around", ["{}", "found {} in it", '"{}"', "%20{}%20", "\\n{}\\n", "={}"])
def test_a_secret_goes_by_its_shape_wherever_it_stands(secret, around):
    redacted = redact(around.format(secret))

    assert secret not in redacted
    assert secret[4:20] not in redacted
    assert "<REDACTED:" in redacted


@pytest.mark.parametrize(("text", "secret"), PLACED)
def test_a_secret_goes_by_its_place(text, secret):
    redacted = redact(text)

    assert secret not in redacted
    assert "<REDACTED:" in redacted


@pytest.mark.parametrize("text", [*UNCHANGED, PROSE])
def test_what_only_looks_like_a_secret_stays(text):
    assert redact(text) == text


def test_what_stands_around_a_secret_stays():
    assert redact("GET https://h/x?token=abcdef1&page=2 failed") == (
        "GET https://h/x?token=<REDACTED:secret>&page=2 failed"
    )
    assert redact("login(token=abc12345, user=u).") == "login(token=<REDACTED:secret>, user=u)."


def test_b133_what_an_older_version_stored_is_redacted_on_reading_it_again():
    stored = {"title": "push failed", "body": f"remote: token ghp_{DRAWN} was refused"}

    assert redact(stored["body"]) == "remote: token <REDACTED:github-token> was refused"


def service_account():
    key = "\n".join(["-----BEGIN PRIVATE KEY-----", *["MIIEvQIBADANBgkq" + DRAWN] * 4])
    return {
        "type": "service_account",
        "project_id": "harbour-ci",
        "private_key_id": "9f31" * 10,
        "private_key": key + "\n-----END PRIVATE KEY-----\n",
        "client_email": "ci@harbour-ci.iam.example",
        "client_id": "104",
        "auth_uri": "https://accounts.example/o/oauth2/auth",
        "token_uri": "https://oauth2.example/token",
        "auth_provider_x509_cert_url": "https://www.example/oauth2/v1/certs",
        "client_x509_cert_url": "https://www.example/robot/v1/metadata/x509/ci",
    }


def test_b134_a_service_account_over_twelve_lines_loses_its_values_and_stays_json():
    account = service_account()
    printed = json.dumps(account, indent=2)
    assert len(printed.splitlines()) == 12

    redacted = json.loads(redact(printed))

    assert redacted.pop("private_key_id") == "<REDACTED:secret>"
    assert "MIIE" not in redacted["private_key"]
    assert "PRIVATE KEY" not in redacted.pop("private_key")
    assert redacted == {k: v for k, v in account.items() if not k.startswith("private_key")}


def test_a_private_key_goes_also_when_its_lines_have_prefixes_or_its_end_is_cut_off():
    key = service_account()["private_key"]
    prefixed = "".join(f"2026-03-04T10:22:31Z {line}\n" for line in key.splitlines())
    cut = key.rpartition("-----END")[0] + "Error: could not read the key"

    assert redact(prefixed + "done") == "2026-03-04T10:22:31Z <REDACTED:private-key>\ndone"
    assert redact(cut) == "<REDACTED:private-key>\nError: could not read the key"
    assert "MIIE" not in redact(json.dumps(key.splitlines()))
    json.loads(redact(json.dumps(key.splitlines())))


def test_a_certificate_stays():
    text = "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE\n-----END CERTIFICATE-----"
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "url=https%3A%2F%2Fbot%3Ahunter2%2Bx%40git.example%2Fa.git",
        "token%3Dghp_" + DRAWN,
        "fatal: unable to access 'https://bot:hunter2@git.example/a.git/': 403",
        "fatal: https://bot:hunt%40er2%2F@git.example/a.git",
        f"fatal: https://ghp_{DRAWN}:x-oauth-basic@github.example/a.git",
    ],
)
def test_b136_secrets_in_urls_go_percent_encoded_or_not(text):
    redacted = redact(text)

    assert "<REDACTED:" in redacted
    assert not any(each in redacted for each in ("hunter2", "hunt%40", DRAWN))
    assert "git.example" in redacted or "git.example" not in text


@pytest.mark.parametrize(
    "text", ["auth-smoke: 3", "PASS: creates basic auth header", "exit code: 2"]
)
def test_b137_test_names_counts_and_exit_codes_stay(text):
    assert redact(text) == text


def test_b139_json_lines_whose_values_hold_quotes_stay_json():
    lines = [
        {"token": 'he said "abc123" and\\ left', "n": 1},
        {"msg": json.dumps({"token": 'in"ner\\', "keep": "x"}), "n": 2},
        {"msg": json.dumps({"msg": json.dumps({"password": "deepest"})}), "n": 3},
    ]

    redacted = [json.loads(redact(json.dumps(line))) for line in lines]

    assert redacted[0] == {"token": "<REDACTED:secret>", "n": 1}
    assert json.loads(redacted[1]["msg"]) == {"token": "<REDACTED:secret>", "keep": "x"}
    assert json.loads(json.loads(redacted[2]["msg"])["msg"]) == {"password": "<REDACTED:secret>"}


@pytest.mark.parametrize(
    "url",
    [
        f"https://proxy.example/t/ghp_{DRAWN}/mcp",
        "https://mcp.example/s/NzFkYjU2ZTItZjQ4Ni00xYz9AbCdEf1234567/mcp",
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXabcd1234",
        "https://api.telegram.example/bot123456789:AAabcdefghijklmnopqrstuvwxyz0123456/getMe",
    ],
)
def test_b140_a_bare_token_in_the_path_of_an_url_goes_by_its_shape(url):
    redacted = redact(url)

    assert "<REDACTED:" in redacted
    assert redacted.startswith(url[:18])


texts = st.text() | st.sampled_from([*SHAPES, *(text for text, _ in PLACED), *UNCHANGED, PROSE])
glued = st.lists(texts | st.sampled_from(list("\"'\\ \n=:/@&<>-_")), max_size=8).map("".join)


@given(glued)
def test_redacting_twice_changes_nothing_more(text):
    redacted = redact(text)
    assert redact(redacted) == redacted


keys = st.sampled_from(["password", "token", "note", "api_key", "auth"]) | st.text(max_size=5)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | glued,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@example({"password": [1e16]}, False, None)
@given(values, st.booleans(), st.sampled_from([None, 2]))
def test_json_stays_json(value, is_ascii, indent):
    json.loads(redact(json.dumps(value, ensure_ascii=is_ascii, indent=indent)))


@pytest.mark.parametrize("secret", ["hunter2", 'hun"ter2', "hun\\ter2", "\\", "ü\n2"])
def test_the_value_of_a_password_in_json_is_gone_whatever_it_holds(secret):
    document = {"password": secret, "user": "bob"}

    assert json.loads(redact(json.dumps(document))) == {
        "password": "<REDACTED:secret>",
        "user": "bob",
    }


HOSTILE = {
    "begins of keys": "-----BEGIN PRIVATE KEY-----\n",
    "names": "token ",
    "assignments": "password=",
    "closings": "token=)))))))))",
    "users": "://a:",
    "encoded users": "%3A%2F%2Fa%3A",
    "tokens without end": "eyJ-",
    "open strings": 'token":"\\',
    "escaped strings": 'token\\": \\"',
    "deep quotes": "token" + "\\" * 9 + '": ',
    "headers": "authorization: bearer ",
    "commands": "curl -u a",
    "tags": "password>abcdefgh",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_time_grows_with_the_text_and_not_with_its_square(unit):
    def least_seconds(length):
        text = unit * (length // len(unit))
        seconds = []
        for _ in range(3):
            begin = time.process_time()
            redact(text)
            seconds.append(time.process_time() - begin)
        return min(seconds)

    # ten times the text takes ten times as long; the square would take a hundred times
    assert least_seconds(60_000) < 40 * max(least_seconds(6_000), 0.0005)


def test_what_holds_no_hint_is_not_suspect():
    rules = (*redact_module._SHAPES, *redact_module._PLACES)
    for hint in {hint for rule in rules for hint in rule.hints} | {"-----BEGIN", "Passwd", "_Auth"}:
        assert suspect(f"before {hint.upper()}after")
    assert not suspect("npm error code ENOSPC in 3 of 4 runs")
    assert not suspect("")


@given(
    st.lists(
        st.lists(
            st.sampled_from([*redact_module._HINTS, "K", "İ", "\n", "é", "x", " ", "to", "ken"])
            | st.text(max_size=3),
            max_size=4,
        ).map("".join),
        min_size=1,
        max_size=6,
    )
)
def test_many_texts_are_suspect_as_each_of_them(texts):
    texts = [*texts, *map(str.upper, texts)]

    assert suspects(texts) == {number for number, text in enumerate(texts) if suspect(text)}
