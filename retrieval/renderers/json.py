"""What `mem lookup --json` prints: one object on one line."""

import json
import re
from collections.abc import Sequence

from indexing.lazily import expression
from indexing.redact import redact
from indexing.signature import Signature
from indexing.typed import Any
from retrieval.hit import Hit

# Line ends that JSON allows inside a string, though they end a line for many a program.
_LINE_END = expression("[\x85\u2028\u2029]")
_NAMES = ("id", "sig_sha")


def hits(hits: Sequence[Hit], signature: Signature | None, took_ms: float) -> str:
    """One line of JSON by the contract of `mem lookup`.

    Nothing is lost but secrets: what is invisible, or no text at all (half a surrogate pair), is
    escaped, so that the line can be encoded, printed and parsed again.
    """
    found = {
        "signature": _redacted(signature.as_dict()) if signature else None,
        "hits": [_redacted(hit.as_dict(rank)) for rank, hit in enumerate(hits, start=1)],
        "took_ms": round(took_ms, 3),
    }
    line = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    if not line.isascii() or "\x7f" in line:  # of ASCII it has escaped the rest
        from retrieval.untrusted import INVISIBLE

        line = _LINE_END.sub(_escaped, INVISIBLE.sub(_escaped, line))
    return line + "\n"


def _redacted(value: Any) -> Any:
    """`value` with every text redacted, but for names: a hash is no secret."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {k: v if k in _NAMES else _redacted(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted(item) for item in value]
    return value


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
