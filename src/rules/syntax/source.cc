#include "rules/syntax/source.h"

#include <algorithm>
#include <utility>

namespace jobforge::rules {

SourceText::SourceText(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)), line_starts_{0} {
    // What is too large is refused before anybody asks for a line of it.
    const std::size_t end = std::min(text_.size(), kMaximumBytes);
    for (std::size_t i = 0; i < end; ++i) {
        const bool pair = text_[i] == '\r' && i + 1 < end && text_[i + 1] == '\n';
        if (kLineEnds.find(text_[i]) != std::string_view::npos && !pair) {
            line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
        }
    }
}

std::string_view SourceText::slice(const Span& span) const noexcept {
    return text().substr(span.begin, span.end - span.begin);
}

Position SourceText::position(std::size_t offset) const noexcept {
    offset = std::min(offset, text_.size());
    const auto after = std::ranges::upper_bound(line_starts_, offset);
    const auto line = static_cast<std::size_t>(after - line_starts_.begin());
    const std::size_t start = line_starts_[line - 1];
    const auto characters = std::ranges::count_if(text().substr(start, offset - start), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    });
    return {line, static_cast<std::size_t>(characters) + 1};
}

std::string_view SourceText::line(std::size_t line) const noexcept {
    if (line == 0 || line > line_starts_.size()) {
        return {};
    }
    const std::size_t start = line_starts_[line - 1];
    const std::size_t end = std::min(text().find_first_of(kLineEnds, start), text_.size());
    return text().substr(start, end - start);
}

}  // namespace jobforge::rules
