#include "values/document_numbers.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace jobforge {
namespace {

constexpr int kMaximumDepth = 128;
constexpr std::int64_t kMaximumDigits = 38;
constexpr std::int64_t kLargestInteger = (std::int64_t{1} << 53) - 1;
// Stands for every larger exponent too: far above the length of any text, and ten times it, which
// one more digit makes of it for a moment, does not overflow.
constexpr std::int64_t kLargestExponent = 100'000'000'000'000'000;

// A number of a JSON text: +-digits * 10^-(digits behind the point).
struct Written {
    bool negative = false;
    std::string digits;      // of the coefficient, without the point
    std::int64_t point = 0;  // where the point stands in `digits` once the exponent has moved it
};

// `text` is an exponent: an optional sign and digits.
std::int64_t exponent_of(std::string_view text) noexcept {
    const bool negative = text.starts_with('-');
    std::int64_t size = 0;
    for (const char c : text) {
        if (c >= '0' && c <= '9') {
            size = std::min(size * 10 + (c - '0'), kLargestExponent);
        }
    }
    return negative ? -size : size;
}

// Precondition: `text` has the grammar of RFC 8259, as every Json number has.
Written read(std::string_view text) {
    Written number;
    number.negative = text.starts_with('-');
    text.remove_prefix(number.negative ? 1 : 0);
    const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
    const std::string_view coefficient = text.substr(0, mark);
    const std::size_t point = std::min(coefficient.find('.'), coefficient.size());
    number.digits = coefficient.substr(0, point);
    number.digits += coefficient.substr(std::min(point + 1, coefficient.size()));
    number.point = static_cast<std::int64_t>(point);
    if (mark < text.size()) {
        number.point += exponent_of(text.substr(mark + 1));
    }
    return number;
}

// The plain expansion; empty if it has more than 38 digits, counted before anything is built.
std::string expand(const Written& number) {
    const auto size = static_cast<std::int64_t>(number.digits.size());
    const auto first =
        static_cast<std::int64_t>(std::min(number.digits.find_first_not_of('0'),
                                           number.digits.size()));  // first digit that is not zero
    const bool zero = first == size;
    const std::int64_t whole_digits = zero ? 0 : std::max<std::int64_t>(number.point - first, 0);
    const std::int64_t fraction_digits = std::max<std::int64_t>(size - number.point, 0);
    if (whole_digits > kMaximumDigits || fraction_digits > kMaximumDigits - whole_digits) {
        return {};
    }
    // The digit at a place of the expansion; zeros stand before and behind the written ones.
    const auto digit = [&number, size](std::int64_t place) {
        return place >= 0 && place < size ? number.digits[static_cast<std::size_t>(place)] : '0';
    };
    std::string text = number.negative && !zero ? "-" : "";
    for (std::int64_t place = number.point - whole_digits; place < number.point; ++place) {
        text += digit(place);
    }
    if (whole_digits == 0) {
        text += '0';
    }
    if (fraction_digits > 0) {
        text += '.';
        for (std::int64_t place = number.point; place < size; ++place) {
            text += digit(place);
        }
    }
    return text;
}

// Both have one shape, at most kMaximumDepth levels deep.
void collect_numbers(const Json& document, const Json& exact, const std::string& pointer,
                     std::vector<std::string>& found) {
    if (document.is_number() && exact.is_string()) {
        found.push_back(pointer);
    } else if (const Json::Array* items = document.as_array()) {
        for (std::size_t i = 0; i < items->size(); ++i) {
            collect_numbers((*items)[i], (*exact.as_array())[i], pointer + '/' + std::to_string(i),
                            found);
        }
    } else if (const Json::Object* members = document.as_object()) {
        for (std::size_t i = 0; i < members->size(); ++i) {
            const auto& [name, member] = (*members)[i];
            collect_numbers(member, (*exact.as_object())[i].second,
                            pointer + json_pointer_token(name), found);
        }
    }
}

// One walk. A failure carries the JSON pointer (RFC 6901) of its place, built from the inside out
// while the walk returns.
class Walk final {
public:
    [[nodiscard]] bool value(const Json& in, Json& out) {
        switch (in.kind()) {
            case Json::Kind::number:
                return number(in, out);
            case Json::Kind::array:
                return array(*in.as_array(), out);
            case Json::Kind::object:
                return object(*in.as_object(), out);
            default:
                out = in;
                return true;
        }
    }

    [[nodiscard]] Error error() const {
        const std::string place = pointer_.empty() ? "the document" : pointer_;
        Error error = Error::of(ErrorCode::DOCUMENT_REJECTED, place + ": " + reason_);
        error.details = "{\"pointer\":" + json_quote(pointer_) + "}";
        return error;
    }

private:
    [[nodiscard]] bool number(const Json& in, Json& out) {
        const auto integer = in.as_int64();
        if (integer && *integer >= -kLargestInteger && *integer <= kLargestInteger) {
            out = Json(*integer);
            return true;
        }
        std::string text = expand(read(*in.number_text()));
        if (text.empty()) {
            return fail(std::string(in.number_text()->substr(0, 64)) +
                        (in.number_text()->size() > 64 ? "..." : "") +
                        " has more than 38 digits when written out; a document's numbers may have "
                        "at most 38");
        }
        out = Json(std::move(text));
        return true;
    }

    [[nodiscard]] bool array(const Json::Array& items, Json& out) {
        if (!enter()) {
            return false;
        }
        Json::Array copies(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (!value(items[i], copies[i])) {
                return fail_inside(std::to_string(i));
            }
        }
        out = Json(std::move(copies));
        --depth_;
        return true;
    }

    [[nodiscard]] bool object(const Json::Object& members, Json& out) {
        if (!enter()) {
            return false;
        }
        Json::Object copies;
        copies.reserve(members.size());
        for (const auto& [key, member] : members) {
            if (!value(member, copies.emplace_back(key, Json()).second)) {
                return fail_inside(key);
            }
        }
        out = Json(std::move(copies));
        --depth_;
        return true;
    }

    [[nodiscard]] bool enter() {
        return ++depth_ <= kMaximumDepth || fail("the document is nested deeper than 128 levels");
    }

    // Both always false, so that callers can return them.
    bool fail(std::string reason) {
        reason_ = std::move(reason);
        return false;
    }
    bool fail_inside(const std::string& step) {
        pointer_.insert(0, json_pointer_token(step));
        return false;
    }

    int depth_ = 0;
    std::string reason_;
    std::string pointer_;
};

}  // namespace

Result<Json> with_exact_numbers(const Json& document) {
    Walk walk;
    Json exact;
    if (!walk.value(document, exact)) {
        return walk.error();
    }
    return exact;
}

std::string json_pointer_token(std::string_view name) {
    std::string token = "/";
    for (const char c : name) {
        token += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
    return token;
}

std::vector<std::string> numbers_made_text(const Json& document, const Json& exact) {
    std::vector<std::string> found;
    collect_numbers(document, exact, "", found);
    std::ranges::sort(found);
    return found;
}

}  // namespace jobforge
