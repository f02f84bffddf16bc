#include "prices/dedupe_key.h"

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/text/time_text.h"
#include "values/unicode.h"

namespace jobforge::services {

namespace {

constexpr std::size_t kHexDigits = 16;
constexpr std::size_t kDay = 10;  // YYYY-MM-DD of YYYY-MM-DDTHH:MM:SS.ffffffZ

}  // namespace

std::string dedupe_text(const Observation& observation) {
    const std::string_view url = observation.url;
    return fmt::format(
        "{}|{}|{}|{}|{}",
        unicode::lower_case(unicode::trimmed(url.substr(0, url.find_first_of("?#")))),
        unicode::lower_case(unicode::collapsed(observation.title)), observation.price_cents,
        observation.observed_us ? format_time(*observation.observed_us).substr(0, kDay) : "unknown",
        to_string(observation.price_type));
}

std::string dedupe_key(const Observation& observation) {
    return observation.external_id.empty()
               ? "hash_" + sha256_hex(dedupe_text(observation)).substr(0, kHexDigits)
               : "ext_" + observation.external_id;
}

}  // namespace jobforge::services
