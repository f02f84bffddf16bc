"""The key that the caller trusts: KEY, or KEY_ID=KEY, where KEY is the key itself or a file."""
import base64
import binascii
import pathlib
import re
from dataclasses import dataclass

from . import ed25519
from .canonical import Fault

# SubjectPublicKeyInfo of Ed25519 (RFC 8410): these bytes, then the key.
_PEM_PREFIX = bytes.fromhex("302a300506032b6570032100")
_PEM = re.compile(r"-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----")


@dataclass(frozen=True)
class TrustedKey:
    key: bytes
    key_id: str | None = None  # None: not known


def decode_base64(text: str) -> bytes | None:
    """Standard alphabet with padding; None unless the text is the one that encoding gives."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode("ascii") == text else None


def _key_bytes(text: str) -> bytes | None:
    pem = _PEM.search(text)
    if pem is not None:
        der = decode_base64("".join(pem[1].split()))
        if der is None or not der.startswith(_PEM_PREFIX):
            return None
        return der[len(_PEM_PREFIX):]
    text = text.strip(" \t\r\n")
    if re.fullmatch(r"[0-9a-fA-F]{64}", text):
        return bytes.fromhex(text)
    return decode_base64(text)


def _parse(text: str) -> bytes | None:
    key = _key_bytes(text)
    if key is None or len(key) != 32:
        return None
    if not ed25519.is_usable_key(key):
        raise Fault("this public key is not a point of the curve in its one form, or of small order")
    return key


def _text_of_file(name: str) -> str | None:
    try:
        return pathlib.Path(name).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def _key_or_file(text: str) -> bytes | None:
    key = _parse(text)
    if key is not None:
        return key
    content = _text_of_file(text)
    return None if content is None else _parse(content)


def read_key(argument: str) -> TrustedKey:
    """Fault unless the argument names a usable key."""
    whole = _key_or_file(argument)
    if whole is not None:
        return TrustedKey(whole)
    key_id, separator, rest = argument.partition("=")
    key = _key_or_file(rest) if separator and key_id else None
    if key is None:
        raise Fault(f"{argument!r} is neither an Ed25519 public key (base64, hex or PEM) nor a "
                    "file with one; give KEY or KEY_ID=KEY")
    return TrustedKey(key, key_id)
