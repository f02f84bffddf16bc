// International host names as the ASCII names that name servers know. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jobforge::connect {

[[nodiscard]] bool has_non_ascii(std::string_view text) noexcept;

// The ASCII form of a host name in UTF-8: "müller.example" is "xn--mller-kva.example" (IDNA 2008,
// mapped by UTS 46 without its transitional rules, so that "faß.de" and "fass.de" stay two names).
// nullopt if it has none.
//
// The mapping also turns look-alikes into plain letters, digits and signs: full-width 127 into 127,
// U+2100 into "a/c". The answer is therefore as untrustworthy as what was given: check it like any
// host, and use nothing but it from there on.
[[nodiscard]] std::optional<std::string> idna_ascii(std::string_view name);

// Whether a label of the name is one that IDNA made ("xn--...").
[[nodiscard]] bool has_idna_label(std::string_view ascii_name) noexcept;

}  // namespace jobforge::connect
