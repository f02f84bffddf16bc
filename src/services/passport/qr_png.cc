#include "services/passport/qr_png.h"

#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <png.h>
#include <qrencode.h>

namespace jobforge::services {

namespace {

struct FreeQr {
    void operator()(QRcode* code) const noexcept { QRcode_free(code); }
};
using QrPtr = std::unique_ptr<QRcode, FreeQr>;

// The rows of the image, one bit a pixel, 1 is white.
struct Bitmap {
    std::size_t side = 0;       // pixels
    std::size_t row_bytes = 0;  // of one row
    std::vector<std::uint8_t> bytes;

    explicit Bitmap(std::size_t pixels)
        : side(pixels), row_bytes((pixels + 7) / 8), bytes(side * row_bytes, 0xff) {}
    [[nodiscard]] std::uint8_t* row(std::size_t y) { return bytes.data() + y * row_bytes; }
};

void draw_module_row(const std::uint8_t* modules, std::size_t width, std::uint8_t* row) {
    for (std::size_t x = 0; x < width; ++x) {
        if ((modules[x] & 1U) == 0) {  // libqrencode keeps other facts in the higher bits
            continue;
        }
        const std::size_t first = (x + kQrQuietModules) * kQrPixelsPerModule;
        for (std::size_t pixel = first; pixel < first + kQrPixelsPerModule; ++pixel) {
            row[pixel / 8] &= static_cast<std::uint8_t>(~(0x80U >> (pixel % 8)));
        }
    }
}

Bitmap draw(const QRcode& code) {
    const auto width = static_cast<std::size_t>(code.width);
    Bitmap image((width + std::size_t{2} * kQrQuietModules) * kQrPixelsPerModule);
    for (std::size_t y = 0; y < width; ++y) {
        const std::size_t top = (y + kQrQuietModules) * kQrPixelsPerModule;
        draw_module_row(code.data + y * width, width, image.row(top));
        for (std::size_t copy = 1; copy < kQrPixelsPerModule; ++copy) {
            std::memcpy(image.row(top + copy), image.row(top), image.row_bytes);
        }
    }
    return image;
}

void append_bytes(png_structp png, png_bytep data, std::size_t size) {
    static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<char*>(data), size);
}

// libpng reports errors by longjmp, so nothing in here may have a destructor. False on an error,
// which with our own memory and dimensions can only be a lack of memory.
bool write_png(png_structp png, png_infop info, Bitmap& image, std::string& out) {
    // NOLINTNEXTLINE(cert-err52-cpp): the only way libpng has
    if (setjmp(png_jmpbuf(png)) != 0) {
        return false;
    }
    png_set_write_fn(png, &out, append_bytes, nullptr);
    const auto side = static_cast<png_uint_32>(image.side);
    png_set_IHDR(png, info, side, side, 1, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    // Ten equal rows in turn compress well at any effort; the lowest takes 0.4 ms, the usual 1 ms.
    png_set_compression_level(png, 1);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_write_info(png, info);
    for (std::size_t y = 0; y < image.side; ++y) {
        png_write_row(png, image.row(y));
    }
    png_write_end(png, nullptr);
    return true;
}

Error failed(std::string why) {
    return Error::of(ErrorCode::QR_ENCODE_FAILED, std::move(why));
}

Result<std::string> png_of(Bitmap image) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
    std::string out;
    const bool written = info != nullptr && write_png(png, info, image, out);
    png_destroy_write_struct(&png, &info);
    if (!written) {
        return failed("the image of the QR code could not be written: not enough memory");
    }
    return out;
}

}  // namespace

Result<std::string> qr_png(std::string_view text) {
    if (text.empty() || text.find('\0') != std::string_view::npos) {
        return failed("a QR code needs a text without NUL, and at least one character");
    }
    const QrPtr code(QRcode_encodeData(static_cast<int>(std::min<std::size_t>(text.size(), 65535)),
                                       reinterpret_cast<const unsigned char*>(text.data()), 0,
                                       QR_ECLEVEL_M));
    if (code == nullptr) {
        return failed(errno == ERANGE
                          ? fmt::format("{} bytes do not fit a QR code: at level M the largest "
                                        "holds 2,331",
                                        text.size())
                          : "the QR code could not be encoded: not enough memory");
    }
    return png_of(draw(*code));
}

}  // namespace jobforge::services
