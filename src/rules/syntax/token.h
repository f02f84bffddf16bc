// The words of the rule language.
#pragma once

#include <cstdint>
#include <string_view>

#include "rules/syntax/source.h"

namespace jobforge::rules {

enum class TokenKind : std::uint8_t {
    end,
    word,     // identifiers and keywords
    integer,  // 12
    decimal,  // 1.50
    text,     // "..." with its quotes; escapes not looked at yet
    symbol,   // one of ( ) { } [ ] , : ; . = => -> == != < <= > >= + - * / && || !
    fault,    // what no token begins with, or a token that is broken
};

// 12 bytes: a source of 4 MiB may be 4 million of them.
struct Token {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    TokenKind kind = TokenKind::end;
};

// From "--" to the end of the line, without the line ending and blanks before it.
struct Comment {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

// Words that cannot name a variable, fact or test. Path segments and record members may be any.
[[nodiscard]] bool is_keyword(std::string_view word) noexcept;

}  // namespace jobforge::rules
