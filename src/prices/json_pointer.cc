#include "prices/json_pointer.h"

#include <charconv>

#include <fmt/format.h>

namespace jobforge::services {

namespace {

constexpr std::size_t kLongest = 500;

Error no_pointer(std::string_view text) {
    Error error = Error::of(ErrorCode::VALIDATION_ERROR,
                            fmt::format("\"{}\" is not a JSON pointer", text.substr(0, kLongest)));
    error.hint = "A pointer is empty or looks like /results/0/price (RFC 6901).";
    return error;
}

const Json* element(const Json& document, const std::string& step) noexcept {
    const Json::Array* const items = document.as_array();
    std::size_t index = 0;
    const auto read = std::from_chars(step.data(), step.data() + step.size(), index);
    const bool whole = read.ec == std::errc() && read.ptr == step.data() + step.size();
    const bool plain = step == "0" || !step.starts_with('0');
    return whole && plain && index < items->size() ? &(*items)[index] : nullptr;
}

}  // namespace

Result<JsonPointer> JsonPointer::parse(std::string_view text) {
    JsonPointer out;
    if ((!text.empty() && text.front() != '/') || text.size() > kLongest) {
        return no_pointer(text);
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '/') {
            out.steps_.emplace_back();
        } else if (text[i] == '~') {
            const char next = i + 1 < text.size() ? text[i + 1] : '\0';
            if (next != '0' && next != '1') {
                return no_pointer(text);
            }
            out.steps_.back() += next == '0' ? '~' : '/';
            ++i;
        } else {
            out.steps_.back() += text[i];
        }
    }
    return out;
}

const Json* JsonPointer::find(const Json& document) const noexcept {
    const Json* place = &document;
    for (const std::string& step : steps_) {
        place = place->is_array() ? element(*place, step) : place->find(step);
        if (place == nullptr) {
            return nullptr;
        }
    }
    return place;
}

}  // namespace jobforge::services
