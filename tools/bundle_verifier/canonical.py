"""BPC-CJSON-1: strict reading, the one canonical form, and hashes of it."""
import hashlib
import json
import re
from typing import TypeAlias

Json: TypeAlias = "None | bool | int | str | list[Json] | dict[str, Json]"

LARGEST_INTEGER = 2**53 - 1
_DEEPEST = 128
_LONGEST_INTEGER = len("-9007199254740991")
# Strings are passed over whole, so that a bracket in one does not count.
_NESTING = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


class Fault(Exception):
    """What is wrong with a bundle, as a sentence for people."""


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER or abs(int(digits)) > LARGEST_INTEGER:
        raise Fault(f"the number {digits[:64]} is beyond 2^53-1")
    return int(digits)


def _no_number(digits: str) -> int:
    raise Fault(f"the number {digits[:64]} is not an integer")


def _object(members: list[tuple[str, Json]]) -> dict[str, Json]:
    made = dict(members)
    if len(made) != len(members):
        raise Fault("a member is there twice in one object")
    return made


def _check_depth(text: str) -> None:
    depth = 0
    for token in _NESTING.finditer(text):
        character = token[0]
        if character in "[{":
            depth += 1
            if depth > _DEEPEST:
                raise Fault(f"nested deeper than {_DEEPEST} levels")
        elif character in "]}":
            depth -= 1


def parse(data: bytes) -> Json:
    """The value of JSON bytes; Fault unless they are strict JSON with nothing but integers."""
    try:
        text = data.decode("utf-8")
        _check_depth(text)
        value: Json = json.loads(text, parse_int=_integer, parse_float=_no_number,
                                 parse_constant=_no_number, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise Fault(f"not JSON: {error}") from error
    return value


def _utf16_units(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")


def _ordered(value: Json) -> Json:
    """With the members of every object in their order."""
    if isinstance(value, str):
        if "\0" in value:
            raise Fault("a string holds U+0000")
        return value
    if isinstance(value, list):
        return [_ordered(item) for item in value]
    if not isinstance(value, dict):
        return value
    if any("\0" in name for name in value):
        raise Fault("a name holds U+0000")
    names = sorted(value) if all(map(str.isascii, value)) else sorted(value, key=_utf16_units)
    return {name: _ordered(value[name]) for name in names}


def canonical(value: Json) -> bytes:
    """Precondition: numbers are integers within 2^53-1, as `parse` gives them."""
    # Python escapes exactly what the page says, in the same way.
    text = json.dumps(_ordered(value), ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Fault("a string holds half of a surrogate pair") from error


def parse_canonical(data: bytes) -> Json:
    """The value of bytes that are their own canonical form; Fault for any other spelling."""
    value = parse(data)
    form = canonical(value)
    if form != data:
        place = next((i for i, (a, b) in enumerate(zip(form, data)) if a != b),
                     min(len(form), len(data)))
        raise Fault(f"the file is not its own canonical form: byte {place} differs")
    return value


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def content_hash(value: Json) -> str:
    return sha256_hex(canonical(value))
