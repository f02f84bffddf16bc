// What is wrong with a source, said so that its author can mend it: code, place, the line with a
// caret under the fault, a sentence, and what to write instead.
//
// Lexer, parser and checker put all they find into one Diagnostics; nothing stops at the first.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "rules/syntax/source.h"

namespace jobforge::rules {

struct Diagnostic {
    ErrorCode code = ErrorCode::RULE_PARSE_ERROR;  // or RULE_TYPE_ERROR, UNIT_MISMATCH,
                                                   // RULE_CYCLE_DETECTED
    Span span;
    std::string message;  // what is wrong
    std::string advice;   // what to do; may be empty
};

class Diagnostics final {
public:
    // What is kept; the rest is only counted. A source of noise gets one page of errors.
    static constexpr std::size_t kMaximumKept = 100;

    // Control characters in both become escapes (core/visible_text.h).
    void add(ErrorCode code, const Span& span, std::string message, std::string advice = {});
    // By source and place, so that people read from top to bottom. Stable.
    void sort();
    [[nodiscard]] bool empty() const noexcept { return kept_.empty(); }
    [[nodiscard]] std::size_t count() const noexcept { return kept_.size() + dropped_; }
    [[nodiscard]] std::span<const Diagnostic> all() const noexcept { return kept_; }

private:
    std::vector<Diagnostic> kept_;
    std::size_t dropped_ = 0;
};

// battery.rules:12:3: UNIT_MISMATCH: kWh and Wh do not add
//    12 |   a + b;
//       |   ^^^^^
//    write convert("kWh", ...) around the right side
// Ends with a line feed. Tabs of the source line become one blank each and control characters "?",
// so that the caret stands where it should and a source cannot control a terminal.
[[nodiscard]] std::string render(const Diagnostic& diagnostic, std::span<const SourceText> sources);
// All of them, and how many more there are.
[[nodiscard]] std::string render(const Diagnostics& diagnostics,
                                 std::span<const SourceText> sources);
// {"advice","code","column","end_column","end_line","line","message","source","source_line"}
[[nodiscard]] Json to_json(const Diagnostic& diagnostic, std::span<const SourceText> sources);
// The first one as an Error (code, rendered message), the others in details {"diagnostics":[...]}.
// Precondition: !diagnostics.empty().
[[nodiscard]] Error to_error(const Diagnostics& diagnostics, std::span<const SourceText> sources);

}  // namespace jobforge::rules
