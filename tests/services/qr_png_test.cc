// The QR code of a passport, read back by a scanner that knows nothing of how it was made.
#include "services/passport/qr_png.h"

#include <png.h>
#include <zbar.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "passport/qr_text.h"

namespace jobforge::services {
namespace {

// An 8-bit gray picture.
struct Picture {
    unsigned width = 0;
    unsigned height = 0;
    std::vector<std::uint8_t> pixels;

    [[nodiscard]] std::uint8_t& at(unsigned x, unsigned y) {
        return pixels[std::size_t{y} * width + x];
    }
    [[nodiscard]] std::uint8_t at(unsigned x, unsigned y) const {
        return pixels[std::size_t{y} * width + x];
    }
    void blot(unsigned left, unsigned top, unsigned side_x, unsigned side_y, std::uint8_t colour) {
        for (unsigned y = top; y < std::min(top + side_y, height); ++y) {
            for (unsigned x = left; x < std::min(left + side_x, width); ++x) {
                at(x, y) = colour;
            }
        }
    }
};

Picture decoded(const std::string& png) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    EXPECT_NE(png_image_begin_read_from_memory(&image, png.data(), png.size()), 0) << image.message;
    image.format = PNG_FORMAT_GRAY;
    Picture picture{image.width, image.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
    EXPECT_NE(png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr), 0)
        << image.message;
    return picture;
}

// Every text that zbar sees in the picture.
std::vector<std::string> scanned(const Picture& picture) {
    zbar::ImageScanner scanner;
    scanner.set_config(zbar::ZBAR_NONE, zbar::ZBAR_CFG_ENABLE, 0);
    scanner.set_config(zbar::ZBAR_QRCODE, zbar::ZBAR_CFG_ENABLE, 1);
    zbar::Image image(picture.width, picture.height, "Y800", picture.pixels.data(),
                      picture.pixels.size());
    scanner.scan(image);
    std::vector<std::string> texts;
    for (auto symbol = image.symbol_begin(); symbol != image.symbol_end(); ++symbol) {
        texts.push_back(symbol->get_data());
    }
    image.set_data(nullptr, 0);
    return texts;
}

// Area-averaged, as a printer or a camera sees it.
Picture scaled(const Picture& from, unsigned side) {
    Picture to{side, side, std::vector<std::uint8_t>(std::size_t{side} * side)};
    const double step = static_cast<double>(from.width) / side;
    for (unsigned y = 0; y < side; ++y) {
        for (unsigned x = 0; x < side; ++x) {
            double sum = 0;
            constexpr unsigned kSamples = 4;
            for (unsigned i = 0; i < kSamples * kSamples; ++i) {
                const double dx = (i % kSamples + 0.5) / kSamples;
                const double dy = (static_cast<double>(i / kSamples) + 0.5) / kSamples;
                sum += from.at(static_cast<unsigned>((x + dx) * step),
                               static_cast<unsigned>((y + dy) * step));
            }
            to.at(x, y) = static_cast<std::uint8_t>(sum / (kSamples * kSamples));
        }
    }
    return to;
}

// What a passport's code says: BPC1|pv=<uuid>|ph=<52 letters>|pr=...|rh=...
std::string passport_text(unsigned seed) {
    std::mt19937 random(seed);
    const auto letters = [&](const char* alphabet, unsigned size, unsigned count) {
        std::string text;
        for (unsigned i = 0; i < count; ++i) {
            text += alphabet[random() % size];
        }
        return text;
    };
    const auto hex = [&](unsigned count) { return letters("0123456789abcdef", 16, count); };
    const auto hash = [&] { return letters("abcdefghijklmnopqrstuvwxyz234567", 32, 52); };
    return fmt::format("BPC1|pv={}-{}-4{}-8{}-{}|ph={}|pr={}|rh={}", hex(8), hex(4), hex(3), hex(3),
                       hex(12), hash(), hash(), hash());
}

// Pixel of a module's top left corner.
unsigned module_at(unsigned index) {
    return (index + kQrQuietModules) * kQrPixelsPerModule;
}

TEST(QrPng, a_passports_code_is_57_modules_and_650_pixels) {
    const std::string text = passport_text(1);
    ASSERT_EQ(text.size(), 212U);
    const auto png = qr_png(text);
    ASSERT_TRUE(png.ok()) << png.error().describe();
    EXPECT_EQ(png->substr(0, 8), "\x89PNG\r\n\x1a\n");
    EXPECT_EQ(static_cast<int>((*png)[24]), 1) << "bit depth";
    EXPECT_EQ(static_cast<int>((*png)[25]), PNG_COLOR_TYPE_GRAY);
    EXPECT_LT(png->size(), 16'000U) << "small enough to keep in the database";
    const Picture picture = decoded(*png);
    EXPECT_EQ(picture.width, 650U);
    EXPECT_EQ(picture.height, 650U);
}

TEST(QrPng, is_black_on_white_in_whole_modules_with_a_white_frame) {
    const Picture picture = decoded(qr_png(passport_text(2)).value());
    const unsigned frame = kQrQuietModules * kQrPixelsPerModule;
    unsigned black = 0;
    for (unsigned y = 0; y < picture.height; ++y) {
        for (unsigned x = 0; x < picture.width; ++x) {
            const std::uint8_t colour = picture.at(x, y);
            ASSERT_TRUE(colour == 0 || colour == 255);
            const bool inside =
                x >= frame && y >= frame && x < picture.width - frame && y < picture.height - frame;
            ASSERT_TRUE(inside || colour == 255) << "the quiet zone at " << x << "," << y;
            ASSERT_EQ(colour, picture.at(x - x % kQrPixelsPerModule, y - y % kQrPixelsPerModule));
            black += colour == 0 ? 1 : 0;
        }
    }
    EXPECT_GT(black, 650U * 650U / 4);
    EXPECT_EQ(picture.at(module_at(0), module_at(0)), 0) << "the corner of a finder is black";
}

TEST(QrPng, a_scanner_reads_exactly_what_was_written) {
    for (unsigned seed = 10; seed < 30; ++seed) {
        const std::string text = passport_text(seed);
        EXPECT_EQ(scanned(decoded(qr_png(text).value())), std::vector{text});
    }
    const std::string url = "https://passports.example/p/00000000-0000-4000-8000-000000000000#ph=" +
                            std::string(52, 'a') + "&pr=" + std::string(52, 'b') +
                            "&rh=" + std::string(52, '7');
    for (const std::string& text : {url, std::string("x"), std::string("1234567890"),
                                    std::string("UPPER CASE"), std::string(1000, 'q')}) {
        EXPECT_EQ(scanned(decoded(qr_png(text).value())), std::vector{text});
    }
}

TEST(QrPng, is_read_from_a_print_of_two_centimetres) {
    // 2 cm at 300 dpi are 236 pixels: 3.6 a module, so that no edge lies on a pixel's.
    for (unsigned seed = 40; seed < 50; ++seed) {
        const std::string text = passport_text(seed);
        EXPECT_EQ(scanned(scaled(decoded(qr_png(text).value()), 236)), std::vector{text}) << seed;
    }
}

// A 10-M code has 5 blocks, in each of which 13 of about 69 codewords (8 modules) may be wrong. The
// damage here stays at half of that, because scanners also lose modules of their own accord.
TEST(QrPng, survives_dirt) {
    for (unsigned seed = 60; seed < 70; ++seed) {
        const std::string text = passport_text(seed);
        const Picture clean = decoded(qr_png(text).value());
        Picture stained = clean;  // 10 x 10 modules black, clear of the alignment patterns
        stained.blot(module_at(36), module_at(14), 100, 100, 0);
        EXPECT_EQ(scanned(stained), std::vector{text}) << "stain " << seed;
        Picture scratched = clean;  // a white line, a module wide, across the data
        scratched.blot(module_at(9), module_at(33), 450, kQrPixelsPerModule, 255);
        EXPECT_EQ(scanned(scratched), std::vector{text}) << "scratch " << seed;
        Picture speckled = clean;  // 30 modules inverted, anywhere between the finders
        std::mt19937 random(seed);
        for (int i = 0; i < 30; ++i) {
            const unsigned x = module_at(10 + static_cast<unsigned>(random() % 37));
            const unsigned y = module_at(10 + static_cast<unsigned>(random() % 37));
            const auto inverse = static_cast<std::uint8_t>(255 - speckled.at(x, y));
            speckled.blot(x, y, kQrPixelsPerModule, kQrPixelsPerModule, inverse);
        }
        EXPECT_EQ(scanned(speckled), std::vector{text}) << "speckles " << seed;
        EXPECT_EQ(scanned(scaled(stained, 330)), std::vector{text}) << "a small stained print";
    }
}

TEST(QrPng, more_dirt_than_level_m_allows_is_not_misread) {
    const std::string text = passport_text(80);
    Picture ruined = decoded(qr_png(text).value());
    ruined.blot(module_at(15), module_at(15), 300, 300, 0);  // over a quarter
    const auto texts = scanned(ruined);
    EXPECT_TRUE(texts.empty()) << texts.front();
}

TEST(QrPng, refuses_what_does_not_fit) {
    EXPECT_TRUE(qr_png(std::string(2331, 'x')).ok());
    for (const std::string& text : {std::string(), std::string(2332, 'x'),
                                    std::string(1'000'000, 'x'), std::string("a\0b", 3)}) {
        const auto png = qr_png(text);
        ASSERT_FALSE(png.ok()) << text.size();
        EXPECT_EQ(png.error().code, ErrorCode::QR_ENCODE_FAILED);
        EXPECT_FALSE(png.error().retryable);
    }
    EXPECT_NE(qr_png(std::string(2332, 'x')).error().message.find("2332 bytes"), std::string::npos);
}

TEST(QrPng, the_same_text_gives_the_same_bytes) {
    EXPECT_EQ(qr_png(passport_text(90)).value(), qr_png(passport_text(90)).value());
    EXPECT_NE(qr_png(passport_text(90)).value(), qr_png(passport_text(91)).value());
}

}  // namespace
}  // namespace jobforge::services
