"""A log becomes a signature."""

from indexing.signature.extract import explain, extract, ruleset_digest, sign
from indexing.signature.interface import Signature

__all__ = ["Signature", "explain", "extract", "ruleset_digest", "sign"]
