#include "base/json/canonical.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/json/json_plain.h"
#include "base/json/json_quote.h"
#include "base/text/utf8.h"

namespace jobforge {
namespace {

constexpr std::size_t kMaximumDepth = 128;
constexpr std::int64_t kLargestInteger = (std::int64_t{1} << 53) - 1;

// The order of UTF-16 code units, read off UTF-8 bytes. The two orders differ in one point: U+E000
// to U+FFFF (lead bytes EE, EF) come behind the surrogates that stand for U+10000 and above (lead
// bytes F0 to F4). Lifting EE and EF above F4 gives the UTF-16 order without converting.
bool utf16_less(std::string_view a, std::string_view b) noexcept {
    const auto rank = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte == 0xEE || byte == 0xEF ? byte + 0x100 : +byte;
    };
    // No two bytes have one rank, so the first byte that differs decides.
    const std::size_t shared = std::min(a.size(), b.size());
    const auto [in_a, in_b] = std::mismatch(a.data(), a.data() + shared, b.data());
    return in_a == a.data() + shared ? a.size() < b.size() : rank(*in_a) < rank(*in_b);
}

// Whether a number's text is an integer of at most 15 digits without sign: most are, and such a
// text is its own canonical form.
bool is_short_integer(std::string_view text) noexcept {
    return text.size() <= 15 &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

class CanonicalWriter final {
public:
    [[nodiscard]] bool write(const Json& value) {
        switch (value.kind()) {
            case Json::Kind::null:
                out_ += "null";
                return true;
            case Json::Kind::boolean:
                out_ += *value.as_bool() ? "true" : "false";
                return true;
            case Json::Kind::number:
                return number(value);
            case Json::Kind::string:
                return string(*value.as_string());
            case Json::Kind::array:
                return array(*value.as_array());
            case Json::Kind::object:
                return object(*value.as_object());
        }
        return false;
    }

    [[nodiscard]] Result<std::string> result(bool written) && {
        if (!written) {
            return std::move(error_);
        }
        return std::move(out_);
    }

private:
    [[nodiscard]] bool number(const Json& value) {
        if (const std::string_view text = *value.number_text(); is_short_integer(text)) {
            out_ += text;
            return true;
        }
        const std::optional<std::int64_t> integer = value.as_int64();
        if (!integer || *integer > kLargestInteger || *integer < -kLargestInteger) {
            return fail(ErrorCode::CANONICAL_NUMBER_NOT_ALLOWED,
                        std::string(value.number_text()->substr(0, 64)) +
                            " is not an integer of at most 2^53-1; write it as a string");
        }
        out_ += std::to_string(*integer);
        return true;
    }

    [[nodiscard]] bool string(const std::string& text) {
        if (const char* const end = text.data() + text.size();
            skip_plain(text.data(), end) == end) {
            out_ += '"';
            out_ += text;
            out_ += '"';
            return true;
        }
        if (utf8_first_fault(text) != std::string_view::npos) {
            return fail(ErrorCode::VALIDATION_ERROR, "the string is not valid UTF-8");
        }
        if (text.find('\0') != std::string::npos) {
            return fail(ErrorCode::VALIDATION_ERROR, "U+0000 is refused");
        }
        append_json_quoted(out_, text);
        return true;
    }

    [[nodiscard]] bool array(const Json::Array& items) {
        if (!enter()) {
            return false;
        }
        out_ += '[';
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i != 0) {
                out_ += ',';
            }
            path_.push_back({nullptr, i});
            if (!write(items[i])) {
                return false;
            }
            path_.pop_back();
        }
        out_ += ']';
        return true;
    }

    [[nodiscard]] bool object(const Json::Object& members) {
        if (!enter()) {
            return false;
        }
        // The members of all objects around this one are on the same stack, below: it moves when
        // it grows, so places in it are indices.
        const std::size_t first = sorted_.size();
        for (const Json::Member& member : members) {
            sorted_.push_back(&member);
        }
        sort_from(first);
        out_ += '{';
        for (std::size_t i = first; i < first + members.size(); ++i) {
            const auto& [key, element] = *sorted_[i];
            path_.push_back({&key, 0});
            if (i != first) {
                if (sorted_[i - 1]->first == key) {
                    return fail(ErrorCode::VALIDATION_ERROR, "the key is there twice");
                }
                out_ += ',';
            }
            if (!string(key)) {
                return false;
            }
            out_ += ':';
            if (!write(element)) {
                return false;
            }
            path_.pop_back();
        }
        sorted_.resize(first);
        out_ += '}';
        return true;
    }

    void sort_from(std::size_t first) {
        const auto key_of = [](const Json::Member* member) -> std::string_view {
            return member->first;
        };
        const auto added = std::span(sorted_).subspan(first);
        // What was canonical before, or written in order by a program, needs no sorting.
        if (!std::ranges::is_sorted(added, utf16_less, key_of)) {
            std::ranges::sort(added, utf16_less, key_of);
        }
    }

    // path_ has one step for each container around this one.
    [[nodiscard]] bool enter() {
        return path_.size() < kMaximumDepth ||
               fail(ErrorCode::VALIDATION_ERROR, "nested deeper than 128 levels");
    }

    // Always false, so that callers can return it.
    bool fail(ErrorCode code, const std::string& message) {
        const std::string place = pointer();
        error_ = Error::of(code, (place.empty() ? "the document" : place) + ": " + message);
        error_.details = "{\"pointer\":" + json_quote(place) + "}";
        return false;
    }

    // RFC 6901: ~ and / in keys are written ~0 and ~1.
    [[nodiscard]] std::string pointer() const {
        std::string text;
        for (const Step& step : path_) {
            text += '/';
            if (step.key == nullptr) {
                text += std::to_string(step.index);
                continue;
            }
            for (const char c : *step.key) {
                text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
            }
        }
        return text;
    }

    struct Step {
        const std::string* key;  // nullptr: an array's element
        std::size_t index;
    };

    std::string out_;
    std::vector<Step> path_;
    std::vector<const Json::Member*> sorted_;  // of the objects that are being written
    Error error_;
};

}  // namespace

Result<std::string> canonical(const Json& value) {
    CanonicalWriter writer;
    const bool written = writer.write(value);
    return std::move(writer).result(written);
}

}  // namespace jobforge
