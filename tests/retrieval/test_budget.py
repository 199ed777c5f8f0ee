"""Tokens are counted rather too high than too low, and texts cut where words end."""

import hashlib
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.budget import estimate_tokens, shorten

HASHES = " ".join(hashlib.sha1(bytes([n])).hexdigest() for n in range(10))
BASE64 = "".join(b64encode(hashlib.sha256(bytes([n])).digest()).decode()[:-1] for n in range(10))

# The largest count of the vocabularies cl100k, o200k (bpe-openai 0.1.4) and Claude 2 (the file in
# anthropic 0.38, read by tokenizers 0.23).
COUNTED = [
    (
        "english",
        "The token refresh fails after logout because the cached session is kept in memory. " * 12,
        181,
    ),
    (
        "german",
        "Der Build schlug fehl, weil das Verzeichnis für Zwischenspeicher nicht schreibbar ist. "
        * 10,
        261,
    ),
    (
        "finnish",
        "Käännös epäonnistui, koska välimuistihakemistoon ei ole kirjoitusoikeutta. " * 12,
        361,
    ),
    (
        "polish",
        "Kompilacja nie powiodła się, ponieważ katalog nie ma uprawnień do zapisu. " * 12,
        361,
    ),
    ("turkish", "Önbellek dizinine yazma izni olmadığı için derleme başarısız oldu. " * 12, 374),
    ("vietnamese", "Bản dựng thất bại vì thư mục bộ nhớ đệm không có quyền ghi. " * 12, 553),
    ("russian", "Сборка не удалась, потому что у каталога кэша нет прав на запись. " * 12, 409),
    ("greek", "Η κατασκευή απέτυχε επειδή ο κατάλογος δεν έχει δικαιώματα εγγραφής. " * 12, 949),
    ("hebrew", "הבנייה נכשלה מכיוון שלתיקיית המטמון אין הרשאת כתיבה. " * 12, 601),
    ("arabic", "فشل البناء لأن دليل التخزين المؤقت لا يملك إذن الكتابة. " * 12, 624),
    ("hindi", "निर्माण विफल रहा क्योंकि कैश निर्देशिका में लिखने की अनुमति नहीं है। " * 12, 888),
    ("thai", "การสร้างล้มเหลวเนื่องจากไดเรกทอรีแคชไม่มีสิทธิ์เขียน" * 12, 1128),
    (
        "georgian",
        "აგება ვერ მოხერხდა, რადგან ქეშის დირექტორიას ჩაწერის უფლება არ აქვს. " * 12,
        1512,
    ),
    ("korean", "빌드가 실패했습니다. 캐시 디렉터리에 쓰기 권한이 없습니다. " * 12, 421),
    ("chinese", "构建失败，因为缓存目录没有写权限。清理缓存并重新安装依赖之后问题解决。" * 12, 420),
    ("chinese, rare signs", "齉龘籲鬱黌爨驫麤灪鸞" * 24, 576),
    (
        "japanese",
        "ビルドが失敗しました。キャッシュディレクトリに書き込み権限がありません。" * 12,
        456,
    ),
    ("emoji", "🔥🚀💥👩‍💻🧪✅❌🎉🤖🇩🇪🇯🇵👍🏽" * 12, 552),
    ("single letters", "a " * 509, 510),
    ("punctuation", "!?;:,.#$%&*()[]{}<>/|~^+=-_@" * 14, 266),
    ("lone marks", "! ? ; " * 100, 301),
    ("dots", "." * 400, 13),
    ("hashes", HASHES, 239),
    ("base64", BASE64, 303),
    ("digits", "".join(str(n * n) for n in range(200)), 347),
    (
        "path",
        "src/auth/useTokenRefresh.test.tsx:142:17 node_modules/.pnpm/react-dom@18.2.0/index.js "
        * 8,
        289,
    ),
    (
        "diagnostic",
        "error[E0308]: mismatched types: expected `String`, found `&str` at src/main.rs:12:5 " * 8,
        233,
    ),
    (
        "npm",
        "npm ERR! ERESOLVE could not resolve: peer react@'^17.0.2' from eslint-plugin@4.6.0 " * 8,
        264,
    ),
    (
        "json",
        '{"stage":"test","pattern":"ERR_MODULE_NOT_FOUND","seen_count":5,"files":["a.ts"]} ' * 8,
        217,
    ),
]
# What we count short, with the count we want.
KNOWN_SHORT = [("random words", "qzvx jwkp bxtl gqnd vhcz rmwf kdjq " * 10, 200)]


@pytest.mark.parametrize(("text", "tokens"), [pytest.param(t, n, id=i) for i, t, n in COUNTED])
def test_no_real_vocabulary_takes_more_tokens_than_the_estimate(text, tokens):
    assert estimate_tokens(text) >= tokens


@pytest.mark.xfail(strict=True)
@pytest.mark.parametrize(("text", "tokens"), [pytest.param(t, n, id=i) for i, t, n in KNOWN_SHORT])
def test_words_of_random_letters_are_not_counted_short(text, tokens):
    assert estimate_tokens(text) >= tokens


@pytest.mark.parametrize("name", ["english", "german", "path", "diagnostic", "npm"])
def test_what_logs_and_lessons_are_made_of_is_not_counted_half_again(name):
    [(text, tokens)] = [(text, tokens) for known, text, tokens in COUNTED if known == name]
    assert estimate_tokens(text) < 1.5 * tokens


@pytest.mark.parametrize("text", ["", "a", "abcd", "word " * 40])
def test_never_less_than_a_quarter_of_the_characters(text):
    assert estimate_tokens(text) >= len(text) / 4


def test_nothing_takes_no_token():
    assert estimate_tokens("") == 0


@given(st.text(st.characters()))
def test_any_text_can_be_counted(text):
    assert len(text) / 4 <= estimate_tokens(text) <= 5 * len(text)


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("clear the cache", 15, "clear the cache"),
        ("clear the cache", 14, "clear the…"),
        ("clear the cache", 11, "clear the…"),
        ("clear the cache", 10, "clear the…"),
        ("clear the, cache", 12, "clear the…"),
        ("清理缓存并重新安装依赖", 6, "清理缓存并…"),
        ("https://example.org/a/very/long/path of it", 20, "https://example.org…"),
        ("cafe\u0301s", 5, "caf…"),
        ("anything", 1, ""),
        ("anything", 0, ""),
        ("", 0, ""),
    ],
)
def test_cuts_at_the_end_of_a_word_and_marks_it(text, limit, cut):
    assert shorten(text, limit) == cut


@given(st.text(), st.integers(0, 60))
def test_a_cut_text_fits_and_is_the_beginning_of_the_whole(text, limit):
    cut = shorten(text, limit)

    assert len(cut) <= limit
    assert cut == text or text.startswith(cut.removesuffix("…"))


@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1), st.integers(15, 60))
def test_words_shorter_than_the_room_stay_whole(words, limit):
    kept = shorten(" ".join(words), limit).removesuffix("…").split()

    assert kept == words[: len(kept)]


@given(st.text(), st.integers(0, 60))
def test_more_room_never_shows_less(text, limit):
    assert len(shorten(text, limit)) <= len(shorten(text, limit + 1))
