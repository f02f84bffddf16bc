#include "connect/guard/idna.h"

#include <algorithm>
#include <memory>

#include <idn2.h>

namespace jobforge::connect {

namespace {

// Of the name in UTF-8: 253 characters of four bytes. libidn2 refuses longer results, after the
// work.
constexpr std::size_t kLongestName = 4UL * 253;
constexpr std::string_view kPrefix = "xn--";

}  // namespace

bool has_non_ascii(std::string_view text) noexcept {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

std::optional<std::string> idna_ascii(std::string_view name) {
    if (name.size() > kLongestName || name.find('\0') != std::string_view::npos) {
        return std::nullopt;
    }
    const std::string terminated(name);
    std::uint8_t* answer = nullptr;
    // Not IDN2_USE_STD3_ASCII_RULES: libidn2 2.3.3 then drops characters that the rules do not
    // allow, so that "ü@b.example" would become the name of another host.
    const int state = idn2_lookup_u8(reinterpret_cast<const std::uint8_t*>(terminated.c_str()),
                                     &answer, IDN2_NONTRANSITIONAL);
    const std::unique_ptr<std::uint8_t, void (*)(void*)> owned(answer, idn2_free);
    if (state != IDN2_OK || answer == nullptr) {
        return std::nullopt;
    }
    return std::string(reinterpret_cast<const char*>(answer));
}

bool has_idna_label(std::string_view ascii_name) noexcept {
    for (std::size_t at = ascii_name.find(kPrefix); at != std::string_view::npos;
         at = ascii_name.find(kPrefix, at + 1)) {
        if (at == 0 || ascii_name[at - 1] == '.') {
            return true;
        }
    }
    return false;
}

}  // namespace jobforge::connect
