// Strict JSON with exact numbers.
//
// `Json` is an immutable-by-default value: null, bool, number, string, array or object. Numbers
// keep the digits they were written with: nothing ever passes through a double, so 75.50 stays
// 75.50 and 12345678901234567890 keeps its last digit. Parsing is strict RFC 8259 (no comments, no
// trailing commas, no NaN, valid UTF-8, no lone surrogates, no U+0000), refuses duplicate keys and
// nesting deeper than 128, and reports the byte offset, line and column of the first fault. Objects
// keep the order they were written in; look-up is by key.
//
// A value owns all below it. Moving takes constant time and leaves null behind. Destroying takes no
// stack and no memory whatever the depth; copying, comparing and writing recurse, which matters
// only to values that a program nests by the ten thousand (parsed ones have 128 levels at most).
//
// Threads: distinct values are independent; one value may be read from many threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <jobforge/error.h>

namespace jobforge {

class Json final {
public:
    using Array = std::vector<Json>;
    using Member = std::pair<std::string, Json>;
    using Object = std::vector<Member>;
    enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

    Json() noexcept : boolean_(false) {}
    Json(std::nullptr_t) noexcept : Json() {}
    Json(const Json& other);
    Json(Json&& other) noexcept;
    Json& operator=(const Json& other);
    Json& operator=(Json&& other) noexcept;
    ~Json() {
        if (kind_ >= Kind::number) {
            release();
        }
    }
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

    [[nodiscard]] Kind kind() const noexcept { return kind_; }
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

    // The member with this key; nullptr if absent or if this is not an object. Linear in the
    // members.
    [[nodiscard]] const Json* find(std::string_view key) const noexcept;
    // Sets or replaces a member (linear). Precondition: is_object() or is_null() (which becomes an
    // object); std::logic_error otherwise.
    Json& set(std::string key, Json value);
    // Appends. Precondition: is_array() or is_null() (which becomes an array); std::logic_error
    // otherwise.
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

    // A container and, while its tree is being destroyed, the container around it.
    template <typename List>
    struct Nested {
        List list;
        Json* around;
    };
    // Numbers of up to this many characters are kept in place, longer ones in string_.
    static constexpr std::size_t kShortNumber = 32;

    void set_number(std::string_view text);
    void set_string(std::string_view text);
    void set_array(Array&& items) noexcept;
    void set_object(Object&& members) noexcept;
    void take(Json& other) noexcept;
    void release() noexcept;
    void release_container() noexcept;
    [[nodiscard]] Json* drop_scalars() noexcept;
    void drop_emptied() noexcept;

    // 40 bytes: what std::string needs, and one word. The setters need a null value.
    Kind kind_ = Kind::null;
    std::uint8_t number_size_ = 0;  // of a number in number_; 0: its text is in string_
    // NOLINTBEGIN(readability-identifier-naming): an unnamed union's members are this class's own
    union {
        bool boolean_;
        std::array<char, kShortNumber> number_;
        std::string string_;
        Nested<Array> array_;
        Nested<Object> object_;
    };
    // NOLINTEND(readability-identifier-naming)
};

// `text` as a JSON string literal, quotes included. Any bytes give valid JSON, see dump().
[[nodiscard]] std::string json_quote(std::string_view text);

}  // namespace jobforge
