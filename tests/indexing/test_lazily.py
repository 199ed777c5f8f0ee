import hashlib
import re

import pytest
from commands import printed_by

from indexing.lazily import expression, sha256


def test_an_expression_behaves_as_one_that_was_compiled():
    lazy = expression("(A)b", re.IGNORECASE)
    assert lazy.pattern == "(A)b"
    assert lazy.match("aB")[1] == "a"
    assert lazy.sub("-", "xabx") == "x-x"
    assert lazy.findall("ab aB") == ["a", "a"]
    assert lazy.flags == re.compile("(A)b", re.IGNORECASE).flags


def test_an_expression_is_compiled_when_it_is_used():
    lazy = expression("(")
    with pytest.raises(re.error):
        lazy.search("")


@pytest.mark.parametrize("data", [b"", b"abc", b"x" * 10_000, memoryview(b"abc")])
def test_the_digest_is_that_of_hashlib(data):
    assert sha256(data).hexdigest() == hashlib.sha256(data).hexdigest()


def test_a_digest_loads_no_openssl():
    script = "import sys; from indexing.lazily import sha256; sha256(b''); print(*sys.modules)"
    assert "_hashlib" not in printed_by(script).split()
