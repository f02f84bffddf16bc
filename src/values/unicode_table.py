#!/usr/bin/env python3
"""Prints unicode_table.h from Python's own Unicode data:

    python3 src/values/unicode_table.py | clang-format-19 > src/values/unicode_table.h

Run it again to move to a later Unicode version; tests/values/unicode_test.cc says what must not
change. Dedupe keys hash lower-case text, so a new version is a decision, not an update.
"""
import sys
import unicodedata

LAST = 0x110000


def word(code: int) -> bool:
    return unicodedata.category(chr(code))[0] in "LMN"


def lower(code: int) -> int:
    """The simple mapping; U+0130 lowers to two code points, of which the first is kept."""
    if 0xD800 <= code < 0xE000:
        return code
    return ord(chr(code).lower()[0])


def word_ranges() -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for code in filter(word, range(0x80, LAST)):
        if out and out[-1][1] + 1 == code:
            out[-1] = (out[-1][0], code)
        else:
            out.append((code, code))
    return out


def lower_ranges() -> list[tuple[int, int, int, int]]:
    """(first, last, step, difference), steps of 1 or 2."""
    pairs = [(code, lower(code) - code) for code in range(0x80, LAST) if lower(code) != code]
    out: list[tuple[int, int, int, int]] = []
    for code, difference in pairs:
        if out:
            first, last, step, before = out[-1]
            gap = code - last
            if before == difference and (gap == step or (first == last and gap in (1, 2))):
                out[-1] = (first, code, gap, difference)
                continue
        out.append((code, code, 1, difference))
    return out


def main() -> None:
    words = ", ".join(f"{{0x{a:X}, 0x{b:X}}}" for a, b in word_ranges())
    lowers = ", ".join(f"{{0x{a:X}, 0x{b:X}, {s}, {d}}}" for a, b, s, d in lower_ranges())
    sys.stdout.write(f"""\
// Made by unicode_table.py from Unicode {unicodedata.unidata_version}: do not edit.
#pragma once

#include <cstdint>

namespace jobforge::unicode {{

// Letters, marks and numbers (general categories L, M, N) above ASCII.
struct WordRange {{
    char32_t first, last;
}};
inline constexpr WordRange kWordRanges[] = {{{words}}};

// Simple lower-case mappings above ASCII: first, first + step ... last become lower by adding.
struct LowerRange {{
    char32_t first, last;
    std::uint8_t step;
    std::int32_t difference;
}};
inline constexpr LowerRange kLowerRanges[] = {{{lowers}}};

}}  // namespace jobforge::unicode
""")


main()
