"""Verification of Ed25519 signatures, RFC 8032 section 5.1.7, without the cofactor.

Only public values are computed with, so that nothing here needs to run in constant time.
"""
import hashlib
from typing import NamedTuple

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)


class _Point(NamedTuple):
    """Extended coordinates: x = X/Z, y = Y/Z, x*y = T/Z."""
    x: int
    y: int
    z: int
    t: int


_NEUTRAL = _Point(0, 1, 1, 0)


def _add(a: _Point, b: _Point) -> _Point:
    left = (a.y - a.x) * (b.y - b.x) % _P
    right = (a.y + a.x) * (b.y + b.x) % _P
    cross = 2 * a.t * b.t * _D % _P
    depth = 2 * a.z * b.z % _P
    e, f, g, h = right - left, depth - cross, depth + cross, right + left
    return _Point(e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def _sum_of_multiples(first: int, a: _Point, second: int, b: _Point) -> _Point:
    """first * a + second * b, with one chain of doublings for both (Straus)."""
    both = (_NEUTRAL, a, b, _add(a, b))
    result = _NEUTRAL
    for i in range(max(first.bit_length(), second.bit_length()) - 1, -1, -1):
        result = _add(result, result)
        which = (first >> i & 1) | (second >> i & 1) << 1
        if which:
            result = _add(result, both[which])
    return result


def _negative(point: _Point) -> _Point:
    return _Point(-point.x % _P, point.y, point.z, -point.t % _P)


def _encode(point: _Point) -> bytes:
    inverse = pow(point.z, -1, _P)
    x, y = point.x * inverse % _P, point.y * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _decode(data: bytes) -> _Point | None:
    """RFC 8032 section 5.1.3; None for what encodes no point, or not in its one form."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (1 << 255) - 1
    if y >= _P:
        return None
    numerator, denominator = (y * y - 1) % _P, (_D * y * y + 1) % _P
    square = numerator * pow(denominator, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if x * x % _P != square:
        x = x * _ROOT_OF_MINUS_ONE % _P
    if x * x % _P != square or (x == 0 and sign == 1):
        return None
    if x & 1 != sign:
        x = _P - x
    return _Point(x, y, 1, x * y % _P)


def _base_point() -> _Point:
    point = _decode((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))
    assert point is not None
    return point


_BASE = _base_point()


def encoded_multiple(factor: int) -> bytes:
    """Of the base point: the public key of a secret scalar."""
    return _encode(_sum_of_multiples(factor, _BASE, 0, _BASE))


def is_usable_key(public_key: bytes) -> bool:
    """Whether the 32 bytes are a point in its one form that is not of small order."""
    point = _decode(public_key) if len(public_key) == 32 else None
    return point is not None and _encode(_sum_of_multiples(8, point, 0, point)) != _encode(_NEUTRAL)


def verifies(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether [S]B - [k]A encodes to exactly the R of the signature, with S below the order."""
    point = _decode(public_key)
    if point is None or len(signature) != 64:
        return False
    answer = int.from_bytes(signature[32:], "little")
    if answer >= _ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % _ORDER
    expected = _sum_of_multiples(answer, _BASE, challenge, _negative(point))
    return _encode(expected) == signature[:32]
