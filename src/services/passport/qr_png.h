// A passport's QR code as an image (BPC-QR-1). Any thread; no file, no clock.
#pragma once

#include <string>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge::services {

inline constexpr unsigned kQrPixelsPerModule = 10;
inline constexpr unsigned kQrQuietModules = 4;  // scanners need the white frame

// A PNG, 1 bit gray, black on white, error correction M (15 % of the code may be lost). The 212
// characters of a passport give 57 x 57 modules, 650 x 650 pixels. The bytes of the file may change
// with the libraries; what it says does not. QR_ENCODE_FAILED for an empty text, one with a NUL, or
// one that does not fit the largest code (2,331 bytes at level M).
[[nodiscard]] Result<std::string> qr_png(std::string_view text);

}  // namespace jobforge::services
