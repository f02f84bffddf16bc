// Reading JSON text into values: one pass, recursive descent with a bounded depth.
//
// What is read is first noted as a token of 16 bytes on a stack that stays in the cache. When a
// container closes, its elements are made from their tokens, once and in place, in a vector of
// exactly the right size: one allocation a container instead of log2(n), no value is ever moved,
// and no spare capacity is left in the result.
#include <jobforge/json.h>

#include <memory>
#include <span>
#include <tuple>

#include "base/json/json_keys.h"
#include "base/json/json_reader.h"
#include "base/text/utf8.h"

namespace jobforge {
namespace {

constexpr int kMaximumDepth = 128;

// A value that has been read but not made.
class Token final {
public:
    // A number or a string: its text, which outlives the token.
    Token(Json::Kind kind, std::string_view text) noexcept
        : text_(text.data()), packed_(text.size() << 3 | static_cast<std::size_t>(kind)) {}
    // null; a boolean; or a container, which waits at this index.
    explicit Token(Json::Kind kind, std::size_t number = 0) noexcept
        : text_(nullptr), packed_(number << 3 | static_cast<std::size_t>(kind)) {}

    [[nodiscard]] Json::Kind kind() const noexcept { return static_cast<Json::Kind>(packed_ & 7); }
    [[nodiscard]] std::size_t number() const noexcept { return packed_ >> 3; }
    [[nodiscard]] std::string_view text() const noexcept { return {text_, packed_ >> 3}; }

private:
    const char* text_;
    std::size_t packed_;
};

}  // namespace

class Json::Parser final : JsonReader {
public:
    explicit Parser(std::string_view text) noexcept : JsonReader(text) {}

    Result<Json> run() {
        if (!begin() || !value() || !end()) {
            return fault();
        }
        Json document;
        make(document, tokens_.back());
        return document;
    }

private:
    [[nodiscard]] bool value() {
        if (at_ == end_) {
            return fail("the text ends where a value is needed");
        }
        const char* const start = at_;
        switch (*at_) {
            case '{':
                return object();
            case '[':
                return array();
            case '"': {
                std::string_view text;
                if (!string(text)) {
                    return false;
                }
                tokens_.emplace_back(Kind::string, text);
                return true;
            }
            case 't':
                tokens_.emplace_back(Kind::boolean, 1U);
                return literal("true");
            case 'f':
                tokens_.emplace_back(Kind::boolean, 0U);
                return literal("false");
            case 'n':
                tokens_.emplace_back(Kind::null);
                return literal("null");
            default:
                if (!number()) {
                    return false;
                }
                tokens_.emplace_back(Kind::number, std::string_view(start, at_));
                return true;
        }
    }

    [[nodiscard]] bool array() {
        if (!enter()) {
            return false;
        }
        const Marks marks = marks_here();
        if (!pass(']')) {
            do {
                if (!value()) {
                    return false;
                }
            } while (next_element());
            if (!pass(']')) {
                return fail("a comma or ] is needed here");
            }
        }
        Array items;
        items.reserve(tokens_.size() - marks.tokens);
        for (const Token& token : std::span(tokens_).subspan(marks.tokens)) {
            make(items.emplace_back(), token);
        }
        drop_to(marks);
        tokens_.emplace_back(Kind::array, arrays_.size());
        arrays_.push_back(std::move(items));
        return true;
    }

    [[nodiscard]] bool object() {
        if (!enter()) {
            return false;
        }
        const Marks marks = marks_here();
        if (!pass('}')) {
            do {
                if (!member()) {
                    return false;
                }
            } while (next_element());
            if (!pass('}')) {
                return fail("a comma or } is needed here");
            }
        }
        const std::span<const ParsedKey> keys = std::span(keys_).subspan(marks.keys);
        if (const auto repeated = first_repeated_key(keys); repeated) {
            at_ = keys[*repeated].place;
            return fail("this key is already in the object: ", keys[*repeated].text);
        }
        Object members;
        members.reserve(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            Member& made = members.emplace_back(std::piecewise_construct,
                                                std::forward_as_tuple(keys[i].text), std::tuple());
            make(made.second, tokens_[marks.tokens + i]);
        }
        drop_to(marks);
        tokens_.emplace_back(Kind::object, objects_.size());
        objects_.push_back(std::move(members));
        return true;
    }

    [[nodiscard]] bool member() {
        if (!next_is('"')) {
            return fail("a key in quotes is needed here");
        }
        ParsedKey& key = keys_.emplace_back();
        key.place = at_;
        if (!string(key.text)) {
            return false;
        }
        skip_space();
        if (!pass(':')) {
            return fail("a colon is needed here");
        }
        skip_space();
        return value();
    }

    // Makes the value of a token in `slot`, which is null. Containers are moved out.
    void make(Json& slot, const Token& token) {
        switch (token.kind()) {
            case Kind::null:
                break;
            case Kind::boolean:
                slot.boolean_ = token.number() != 0;
                slot.kind_ = Kind::boolean;
                break;
            case Kind::number:
                slot.set_number(token.text());
                break;
            case Kind::string:
                slot.set_string(token.text());
                break;
            case Kind::array:
                slot.set_array(std::move(arrays_[token.number()]));
                break;
            case Kind::object:
                slot.set_object(std::move(objects_[token.number()]));
                break;
        }
    }

    // Opens an array or an object and stops at its first element or its end.
    [[nodiscard]] bool enter() {
        if (depth_ == kMaximumDepth) {
            return fail("nested deeper than 128 levels");
        }
        ++depth_;
        ++at_;
        skip_space();
        return true;
    }

    // Behind an element: whether a comma announces another one, which is then next.
    [[nodiscard]] bool next_element() noexcept {
        skip_space();
        if (!pass(',')) {
            return false;
        }
        skip_space();
        return true;
    }

    // How high the stacks were when a container opened: what is above belongs to it.
    struct Marks {
        std::size_t tokens;
        std::size_t keys;
        std::size_t arrays;
        std::size_t objects;
    };

    [[nodiscard]] Marks marks_here() const noexcept {
        return {tokens_.size(), keys_.size(), arrays_.size(), objects_.size()};
    }

    void drop_to(const Marks& marks) noexcept {
        const auto drop = [](auto& stack, std::size_t size) {
            while (stack.size() != size) {
                stack.pop_back();
            }
        };
        tokens_.erase(tokens_.begin() + static_cast<std::ptrdiff_t>(marks.tokens), tokens_.end());
        keys_.erase(keys_.begin() + static_cast<std::ptrdiff_t>(marks.keys), keys_.end());
        drop(arrays_, marks.arrays);
        drop(objects_, marks.objects);
        --depth_;
    }

    // Reads a string literal. Most are one plain stretch, which is taken from the text as it is.
    [[nodiscard]] bool string(std::string_view& out) {
        const char* const start = ++at_;
        at_ = skip_plain(at_, end_);
        if (!next_is('"') && !unescaped()) {
            return false;
        }
        if (*at_ == '\\') {
            return string_with_escapes(start, out);
        }
        out = {start, at_};
        ++at_;
        return true;
    }

    // Stands at the first backslash of the string that begins at `start`.
    [[nodiscard]] bool string_with_escapes(const char* start, std::string_view& out) {
        if (decoded_ == nullptr) {
            // Enough for all strings to come, since none is longer decoded than written: so no
            // string has to be moved again, and pages that are not written cost nothing.
            decoded_ =
                std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(end_ - start));
            decoded_end_ = decoded_.get();
        }
        const char* const first = decoded_end_;
        for (const char* plain = start;; plain = at_) {
            if (!unescaped()) {
                return false;
            }
            decoded_end_ = std::copy(plain, at_, decoded_end_);
            if (*at_ == '"') {
                break;
            }
            if (!escaped_character()) {
                return false;
            }
        }
        out = {first, decoded_end_};
        ++at_;
        return true;
    }

    [[nodiscard]] bool escaped_character() {
        const char* const start = at_;
        char32_t code_point = 0;
        if (!escape(code_point)) {
            return false;
        }
        if (code_point >= 0xD800 && code_point <= 0xDBFF) {
            char32_t low = 0;
            const bool pair_follows = end_ - at_ >= 2 && at_[0] == '\\' && at_[1] == 'u';
            if (pair_follows && !escape(low)) {
                return false;
            }
            if (low < 0xDC00 || low > 0xDFFF) {
                at_ = start;
                return fail("a surrogate needs its other half");
            }
            code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
        } else if (code_point >= 0xDC00 && code_point <= 0xDFFF) {
            at_ = start;
            return fail("a surrogate needs its other half");
        } else if (code_point == 0) {
            at_ = start;
            return fail("U+0000 is refused: the database cannot hold it");
        }
        decoded_end_ = utf8_write(decoded_end_, code_point);
        return true;
    }

    int depth_ = 0;
    // Of the containers that are open: what they hold so far.
    std::vector<Token> tokens_;
    std::vector<ParsedKey> keys_;
    std::vector<Array> arrays_;
    std::vector<Object> objects_;
    // Strings that had escapes.
    std::unique_ptr<char[]> decoded_;
    char* decoded_end_ = nullptr;
};

Result<Json> Json::parse(std::string_view text) {
    return Parser(text).run();
}

}  // namespace jobforge
