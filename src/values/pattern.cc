#include "values/pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/text/utf8.h"

namespace jobforge {
namespace {

constexpr std::int64_t kMemoryBudget = 1 << 20;

Error bad_pattern(const std::string& reason) {
    return Error::of(ErrorCode::VALIDATION_ERROR, "the pattern is not valid: " + reason);
}

// The first \p, \P or \C that is an escape: neither behind a backslash of its own nor inside
// \Q...\E, where everything is literal. 0 if there is none.
char refused_escape(std::string_view pattern) noexcept {
    bool literal = false;
    for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
        if (pattern[i] != '\\') {
            continue;
        }
        const char escaped = pattern[i + 1];
        if (literal) {
            literal = escaped != 'E';
            continue;
        }
        if (escaped == 'p' || escaped == 'P' || escaped == 'C') {
            return escaped;
        }
        literal = escaped == 'Q';
        ++i;
    }
    return 0;
}

constexpr std::uint64_t kMostParts = std::uint64_t{1} << 20;
constexpr std::uint64_t kPartsOfOneStep = 16;
// A class of characters is a small automaton of its own over the bytes of UTF-8.
constexpr std::uint64_t kPartsOfClass = 8;

// The parts of a pattern with its repetitions written out, of which compiling refuses most: an
// estimate from above, but for a constant.
class PartCounter final {
public:
    explicit PartCounter(std::string_view pattern) noexcept : pattern_(pattern) {}

    [[nodiscard]] std::uint64_t count() {
        while (at_ < pattern_.size()) {
            one();
        }
        do {
            close();
        } while (groups_.size() > 1);
        add(last_);
        return std::min(groups_.front(), kMostParts);
    }

private:
    void one() {
        const char c = pattern_[at_++];
        switch (c) {
            case '(':
                add(std::exchange(last_, 0));
                groups_.push_back(0);
                return;
            case ')':
                return close();
            case '{':
                return repeat();
            case '[':
                return character_class();
            case '.':
                return next(kPartsOfClass);
            case '\\':
                ++at_;
                return next(kPartsOfClass);
            default:
                return next(1);
        }
    }

    void add(std::uint64_t parts) { groups_.back() = std::min(groups_.back() + parts, kMostParts); }

    // The last part may be repeated by what follows; the one before it no longer.
    void next(std::uint64_t parts) { add(std::exchange(last_, parts)); }

    void close() {
        add(std::exchange(last_, 0));
        if (groups_.size() > 1) {
            last_ = groups_.back();
            groups_.pop_back();
        }
    }

    // {3}, {3,} or {3,5}; the larger number counts. Anything else are characters.
    void repeat() {
        std::uint64_t most = 1;
        std::uint64_t number = 0;
        for (; at_ < pattern_.size() && pattern_[at_] != '}'; ++at_) {
            const char c = pattern_[at_];
            const bool digit = c >= '0' && c <= '9';
            number = digit ? std::min(number * 10 + static_cast<unsigned>(c - '0'), kMostParts) : 0;
            most = std::max(most, number);
        }
        ++at_;
        last_ = std::min(std::max<std::uint64_t>(last_, 1) * most, kMostParts);
    }

    void character_class() {
        std::size_t end = at_ + 1;  // a bracket that comes first is a character
        while (end < pattern_.size() && pattern_[end] != ']') {
            end += pattern_[end] == '\\' ? 2U : 1U;
        }
        const std::size_t length = std::min(end, pattern_.size()) - std::min(at_, pattern_.size());
        at_ = end + 1;
        next(kPartsOfClass + length);
    }

    std::string_view pattern_;
    std::size_t at_ = 0;
    std::vector<std::uint64_t> groups_{0};  // open ones, the innermost last
    std::uint64_t last_ = 0;                // the part that a repetition would repeat
};

re2::RE2::Options options() {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kMemoryBudget);
    return options;
}

}  // namespace

Result<Pattern> Pattern::compile(std::string_view pattern) {
    if (pattern.size() > kMaxBytes) {
        return bad_pattern("it is longer than 1000 bytes; split it into several");
    }
    // RE2 would say so too, but quote the bytes.
    if (utf8_first_fault(pattern) != std::string_view::npos) {
        return bad_pattern("it is not a UTF-8 text");
    }
    if (const char escape = refused_escape(pattern); escape != 0) {
        return bad_pattern(std::string("\\") + escape +
                           (escape == 'C' ? " would split characters; use ."
                                          : " depends on the version of Unicode; list the "
                                            "characters in [...]"));
    }
    auto compiled = std::make_shared<const re2::RE2>(
        re2::StringPiece(pattern.data(), pattern.size()), options());
    if (!compiled->ok()) {
        return bad_pattern(compiled->error());
    }
    const std::uint64_t parts = PartCounter(pattern).count();
    return Pattern(std::move(compiled), 1 + parts / kPartsOfOneStep);
}

bool Pattern::matches(std::string_view text) const {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

}  // namespace jobforge
