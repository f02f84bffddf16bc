// The one spelling of hashes, ids and times in the documents of a passport (BPC-HASH-1). A second
// spelling of the same thing would be a byte that nothing holds.
#pragma once

#include <string_view>

namespace jobforge::passport {

[[nodiscard]] bool is_hash_text(std::string_view text) noexcept;  // 64 lower-case hex digits
[[nodiscard]] bool is_uuid_text(std::string_view text);           // lower case, with dashes
// UTC, YYYY-MM-DDTHH:MM:SS.ffffffZ, and there is such a moment.
[[nodiscard]] bool is_time_text(std::string_view text);

}  // namespace jobforge::passport
