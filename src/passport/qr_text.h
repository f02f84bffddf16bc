// BPC-QR-1: what the QR code of a passport says. Pure.
#pragma once

#include <string>
#include <string_view>

#include "passport/receipt.h"

namespace jobforge::passport {

// BPC1|pv=...|ph=...|pr=...|rh=..., 212 characters; with a base URL, <base>/p/<passport_id>#ph=...
// &pr=...&rh=..., so that a phone opens the public page: that of the passport, because the code
// stays on the battery when the version is replaced. A slash at the base's end is dropped.
[[nodiscard]] std::string qr_text(const Receipt& receipt, std::string_view base_url = {});

// Whether a code says what the receipt says: in one of the forms above, or in that of links that
// were printed before, <base>/p/<passport_version_id>#..., whatever the base is.
[[nodiscard]] bool is_qr_text_of(const Receipt& receipt, std::string_view text);

}  // namespace jobforge::passport
