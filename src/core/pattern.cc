#include "core/pattern.h"

#include <re2/re2.h>

#include <cstdint>
#include <string>

#include "core/utf8.h"

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
        return bad_pattern("it is no UTF-8 text");
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
    return Pattern(std::move(compiled));
}

bool Pattern::matches(std::string_view text) const {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

}  // namespace jobforge
