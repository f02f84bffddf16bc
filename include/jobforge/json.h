// Strict JSON with exact numbers.
//
// `Json` is an immutable-by-default value: null, bool, number, string, array or object. Numbers
// keep the digits they were written with: nothing ever passes through a double, so 75.50
// stays 75.50 and 12345678901234567890 keeps its last digit. Parsing is strict RFC 8259 (no
// comments, no trailing commas, no NaN, valid UTF-8, no lone surrogates, no U+0000), refuses
// duplicate keys and nesting deeper than 128, and reports the byte offset, line and column of the
// first fault. Objects keep the order they were written in; look-up is by key.
//
// Threads: distinct values are independent; one value may be read from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <jobforge/error.h>

namespace jobforge {

class Json final {
public:
    using Array = std::vector<Json>;
    using Member = std::pair<std::string, Json>;
    using Object = std::vector<Member>;
    enum class Kind { null, boolean, number, string, array, object };

    Json() noexcept = default;
    Json(std::nullptr_t) noexcept {}
    Json(bool value) noexcept;
    Json(int value);
    Json(unsigned value);
    Json(std::int64_t value);
    Json(std::uint64_t value);
    Json(const char* value);
    Json(std::string value);
    Json(std::string_view value);
    Json(Array value);
    Json(Object value);
    // A number from its JSON text, digits kept ("75.50", "1e400"). VALIDATION_ERROR if it is none.
    [[nodiscard]] static Result<Json> number(std::string_view text);
    // Json::object({{"a", 1}, {"b", "x"}}). Keys must differ: it is not checked here.
    [[nodiscard]] static Json object(std::initializer_list<Member> members = {});
    [[nodiscard]] static Json array(std::initializer_list<Json> items = {});

    // Parses one document. VALIDATION_ERROR with "line L, column C: ..." and, in details,
    // {"offset","line","column"}: offset in bytes from 0, line and column (in code points) from 1.
    [[nodiscard]] static Result<Json> parse(std::string_view text);

    [[nodiscard]] Kind kind() const noexcept;
    [[nodiscard]] bool is_null() const noexcept { return kind() == Kind::null; }
    [[nodiscard]] bool is_bool() const noexcept { return kind() == Kind::boolean; }
    [[nodiscard]] bool is_number() const noexcept { return kind() == Kind::number; }
    [[nodiscard]] bool is_string() const noexcept { return kind() == Kind::string; }
    [[nodiscard]] bool is_array() const noexcept { return kind() == Kind::array; }
    [[nodiscard]] bool is_object() const noexcept { return kind() == Kind::object; }

    // The value if it has that kind (and fits), else nullopt / nullptr. Never converts.
    [[nodiscard]] std::optional<bool> as_bool() const noexcept;
    // Integers only: 1.0 is none.
    [[nodiscard]] std::optional<std::int64_t> as_int64() const noexcept;
    [[nodiscard]] const std::string* as_string() const noexcept;
    [[nodiscard]] const Array* as_array() const noexcept;
    [[nodiscard]] const Object* as_object() const noexcept;
    [[nodiscard]] std::optional<std::string_view> number_text() const noexcept;

    // The member with this key; nullptr if absent or if this is no object. Linear in the members.
    [[nodiscard]] const Json* find(std::string_view key) const noexcept;
    // Sets or replaces a member (linear). Precondition: is_object() or is_null() (which becomes an
    // object).
    Json& set(std::string key, Json value);
    // Appends. Precondition: is_array() or is_null() (which becomes an array).
    Json& push_back(Json value);

    // Compact JSON text, members in stored order, numbers as written. Always valid JSON: bytes of a
    // string that are not UTF-8, and U+0000, are written as U+FFFD (parsed values hold neither).
    [[nodiscard]] std::string dump() const;
    // Indented with two spaces, for people.
    [[nodiscard]] std::string pretty() const;

    // Structural equality: member order does not matter, number texts must be identical.
    friend bool operator==(const Json& a, const Json& b) noexcept;

private:
    class Parser;
    struct Number {
        std::string text;
    };
    std::variant<std::monostate, bool, Number, std::string, Array, Object> value_;
};

// `text` as a JSON string literal, quotes included. Any bytes give valid JSON, see dump().
[[nodiscard]] std::string json_quote(std::string_view text);

}  // namespace jobforge
