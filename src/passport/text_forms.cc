#include "passport/text_forms.h"

#include <jobforge/uuid.h>

#include "base/text/time_text.h"

namespace jobforge::passport {

bool is_hash_text(std::string_view text) noexcept {
    return text.size() == 64 &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_uuid_text(std::string_view text) {
    const auto id = Uuid::parse(text);
    return id.ok() && id->to_string() == text;
}

bool is_time_text(std::string_view text) {
    const auto time = parse_time(text);
    return time.ok() && format_time(*time) == text;
}

}  // namespace jobforge::passport
