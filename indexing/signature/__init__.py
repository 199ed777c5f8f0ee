"""A log becomes a signature."""

from indexing.signature.extract import explain, extract, keys, ruleset_digest, sign
from indexing.signature.interface import Explanation, Signature

__all__ = ["Explanation", "Signature", "explain", "extract", "keys", "ruleset_digest", "sign"]
