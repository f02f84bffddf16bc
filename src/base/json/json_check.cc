#include "base/json/json_check.h"

#include <vector>

#include "base/json/json_reader.h"

namespace jobforge {
namespace {

class Checker final : JsonReader {
public:
    explicit Checker(std::string_view text) noexcept : JsonReader(text) {}

    Status run() {
        if (!begin() || !values() || !end()) {
            return fault();
        }
        return ok_status();
    }

private:
    // One value with all it holds. An open container is one bit, so that depth costs no stack.
    [[nodiscard]] bool values() {
        for (;;) {
            bool opened = false;
            if (!element(opened)) {
                return false;
            }
            if (opened) {
                continue;
            }
            close_containers();
            if (open_.empty()) {
                return true;
            }
            if (!next_element()) {
                return false;
            }
        }
    }

    // Reads a scalar or an empty container; or opens a container and stops at its first value.
    [[nodiscard]] bool element(bool& opened) {
        if (!next_is('[') && !next_is('{')) {
            return scalar();
        }
        const bool is_object = *at_ == '{';
        ++at_;
        skip_space();
        if (pass(is_object ? '}' : ']')) {
            return true;
        }
        opened = true;
        open_.push_back(is_object);
        return !is_object || key();
    }

    // Steps over all brackets that close here.
    void close_containers() {
        while (!open_.empty()) {
            skip_space();
            if (!pass(open_.back() ? '}' : ']')) {
                return;
            }
            open_.pop_back();
        }
    }

    // Inside a container, behind an element: another one must follow. Stops at its value.
    [[nodiscard]] bool next_element() {
        if (!pass(',')) {
            return fail(open_.back() ? "a comma or } is needed here"
                                     : "a comma or ] is needed here");
        }
        skip_space();
        return !open_.back() || key();
    }

    [[nodiscard]] bool key() {
        if (!next_is('"')) {
            return fail("a key in quotes is needed here");
        }
        if (!string()) {
            return false;
        }
        skip_space();
        if (!pass(':')) {
            return fail("a colon is needed here");
        }
        skip_space();
        return true;
    }

    [[nodiscard]] bool scalar() {
        if (at_ == end_) {
            return fail("the text ends where a value is needed");
        }
        switch (*at_) {
            case '"':
                return string();
            case 't':
                return literal("true");
            case 'f':
                return literal("false");
            case 'n':
                return literal("null");
            default:
                return number();
        }
    }

    [[nodiscard]] bool string() {
        ++at_;
        for (;;) {
            if (!unescaped()) {
                return false;
            }
            if (pass('"')) {
                return true;
            }
            char32_t unit = 0;
            if (!escape(unit)) {
                return false;
            }
        }
    }

    std::vector<bool> open_;  // the containers around this place: true for an object
};

}  // namespace

Status check_json(std::string_view text) {
    return Checker(text).run();
}

}  // namespace jobforge
