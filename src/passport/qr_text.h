// BPC-QR-1: what the QR code of a passport says. Pure.
#pragma once

#include <string>
#include <string_view>

#include "passport/receipt.h"

namespace jobforge::passport {

// BPC1|pv=...|ph=...|pr=...|rh=..., 212 characters; with a base URL, <base>/p/<uuid>#ph=...&pr=...
// &rh=..., so that a phone opens the public page. A slash at the base's end is dropped.
[[nodiscard]] std::string qr_text(const Receipt& receipt, std::string_view base_url = {});

}  // namespace jobforge::passport
