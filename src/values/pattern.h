// Text patterns of rules: RE2, so that no pattern and no text takes more than linear time.
//
// A pattern matches anywhere in the text unless its author anchors it with ^ and $, which stand for
// the ends of the text. Patterns and texts are UTF-8 and . is one character; \d \w \s \b and
// [:alpha:] know ASCII only. Refused, though RE2 has them: \p and \P, because the tables of Unicode
// grow with the library's version and an old passport must compile to the same bytes for ever, and
// \C, which splits characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <jobforge/error.h>

namespace re2 {
class RE2;
}

namespace jobforge {

// A compiled pattern; copies share it. Threads: may be used from many at once.
class Pattern final {
public:
    static constexpr std::size_t kMaxBytes = 1000;  // of the pattern's text

    // VALIDATION_ERROR with RE2's words for what is not a pattern, is longer than kMaxBytes, or
    // needs more than 1 MiB when compiled. Never writes to stderr.
    [[nodiscard]] static Result<Pattern> compile(std::string_view pattern);

    // Whether the pattern occurs in `text` (valid UTF-8).
    [[nodiscard]] bool matches(std::string_view text) const;

    // How many times longer matching may take than looking at each byte once: 1 for short patterns.
    // RE2 keeps its time linear in the text, but each byte may cost one step for every part of the
    // pattern, repetitions written out. Counted from the pattern's text, not from what the library
    // made of it, because step budgets must be the same in every version.
    [[nodiscard]] std::uint64_t weight() const noexcept { return weight_; }

private:
    Pattern(std::shared_ptr<const re2::RE2> compiled, std::uint64_t weight) noexcept
        : compiled_(std::move(compiled)), weight_(weight) {}

    std::shared_ptr<const re2::RE2> compiled_;
    std::uint64_t weight_;
};

}  // namespace jobforge
