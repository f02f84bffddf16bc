#include "json/document.h"

#include <array>
#include <cstdint>
#include <stdexcept>

#include <fmt/format.h>
#include <jobforge/json.h>

namespace jobforge::bench {
namespace {

// splitmix64: the same numbers with every standard library.
class Dice final {
public:
    std::uint64_t next() noexcept {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }
    std::int64_t below(std::int64_t limit) noexcept {
        return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(limit));
    }
    template <typename List>
    const auto& one_of(const List& list) noexcept {
        return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(list.size())))];
    }

private:
    std::uint64_t state_ = 42;
};

constexpr std::array kWords = {"cell",     "module",   "pack",     "nickel",   "cobalt",  "lithium",
                               "measured", "declared", "supplier", "recycled", "content", "share"};
constexpr std::array kSentences = {
    "Remove the service plug, wait ten minutes, then disconnect the "
    "high-voltage harness.",
    "Measured at 25 \u00b0C after 3 cycles; see the test report, section "
    "\"4.2\".",
    "Ma\u00dfe gem\u00e4\u00df Zeichnung; r\u00fcckverfolgbar bis zur Charge",
    "line one\nline two\ttabbed\\path", "Supplier declaration of conformity, signed and archived."};
constexpr std::array kStates = {"MANDATORY", "OPTIONAL", "PENDING"};

class Maker final {
public:
    explicit Maker(bool fractions) noexcept : fractions_(fractions) {}

    Json record() {
        return Json::object({{"id", uuid()},
                             {"sku", fmt::format("BAT-{:05}", dice_.below(100'000))},
                             {"name", fmt::format("{} {}", word(), word())},
                             {"issued_on", date()},
                             {"mass_g", dice_.below(900'000)},
                             {"rated_capacity", decimal()},
                             {"voltage", quantity("V")},
                             {"active", dice_.below(2) == 0},
                             {"replaced_by", nullptr},
                             {"category", dice_.one_of(kStates)},
                             {"note", dice_.one_of(kSentences)},
                             {"materials", materials()},
                             {"cycles", readings()},
                             {"source", source()}});
    }

private:
    std::string word() { return dice_.one_of(kWords); }
    std::string uuid() {
        return fmt::format("{:08x}-{:04x}-7{:03x}-8{:03x}-{:012x}", dice_.next() >> 32,
                           dice_.next() >> 48, dice_.next() >> 52, dice_.next() >> 52,
                           dice_.next() >> 16);
    }
    std::string date() {
        return fmt::format("20{:02}-{:02}-{:02}T08:15:{:02}.000000Z", 20 + dice_.below(10),
                           1 + dice_.below(12), 1 + dice_.below(28), dice_.below(60));
    }
    Json decimal() {
        const std::string text = fmt::format("{}.{:03}", dice_.below(1000), dice_.below(1000));
        return fractions_ ? *Json::number(text) : Json(text);
    }
    Json quantity(const char* unit) { return Json::object({{"unit", unit}, {"value", decimal()}}); }
    Json materials() {
        Json list = Json::array();
        for (std::int64_t left = 2 + dice_.below(4); left > 0; --left) {
            list.push_back(Json::object({{"material", word()},
                                         {"share_pct", decimal()},
                                         {"recycled", dice_.below(2) == 0},
                                         {"mass", quantity("kg")}}));
        }
        return list;
    }
    Json readings() {
        Json list = Json::array();
        for (std::int64_t left = 4 + dice_.below(12); left > 0; --left) {
            list.push_back(dice_.below(100'000));
        }
        return list;
    }
    Json source() {
        return Json::object({{"document", fmt::format("{}-{}.pdf", word(), dice_.below(1000))},
                             {"page", dice_.below(300)},
                             {"sha256", fmt::format("{:016x}{:016x}{:016x}{:016x}", dice_.next(),
                                                    dice_.next(), dice_.next(), dice_.next())}});
    }

    bool fractions_;
    Dice dice_;
};

}  // namespace

std::string make_document(const DocumentShape& shape) {
    Maker maker(shape.fractions);
    std::string text = "[";
    while (text.size() < shape.bytes) {
        const Json record = maker.record();
        text += (shape.indented ? record.pretty() : record.dump()) + ",\n";
    }
    text.replace(text.size() - 2, 2, "]");
    return text;
}

}  // namespace jobforge::bench
