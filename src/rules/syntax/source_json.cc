#include "rules/syntax/source_json.h"

#include <optional>
#include <string>

#include <jobforge/json.h>

namespace jobforge::rules {

namespace {

using Place = std::pair<std::size_t, std::size_t>;

constexpr std::string_view kBlanks = " \t\r\n";

// Steps through JSON text that is known to be valid.
class Walker final {
public:
    Walker(std::string_view json, std::size_t at) noexcept : json_(json), at_(at) { blanks(); }

    // Steps over one value.
    Place value() noexcept {
        const std::size_t begin = at_;
        std::size_t open = 0;
        do {
            if (json_[at_] == '"') {
                text();
            } else if (json_[at_] == '{' || json_[at_] == '[') {
                ++open;
                ++at_;
            } else if (json_[at_] == '}' || json_[at_] == ']') {
                --open;
                ++at_;
            } else {
                at_ = std::min(json_.find_first_of(",:{}[]\" \t\r\n", at_ + 1), json_.size());
            }
        } while (open > 0 && at_ < json_.size());
        return {begin, at_};
    }

    // Inside the object or array at hand, the value with this key or index.
    std::optional<Place> child(std::string_view wanted) {
        const bool object = json_[at_] == '{';
        if (!object && json_[at_] != '[') {
            return std::nullopt;
        }
        ++at_;
        blanks();
        for (std::size_t index = 0; json_[at_] != '}' && json_[at_] != ']'; ++index) {
            bool found = !object && std::to_string(index) == wanted;
            if (object) {
                const Place key = value();
                const auto name = Json::parse(json_.substr(key.first, key.second - key.first));
                found = name.ok() && name->as_string() != nullptr && *name->as_string() == wanted;
                blanks();
                ++at_;  // the colon
                blanks();
            }
            const Place place = value();
            if (found) {
                return place;
            }
            blanks();
            at_ += json_[at_] == ',' ? 1U : 0U;
            blanks();
        }
        return std::nullopt;
    }

private:
    void text() noexcept {
        for (++at_; json_[at_] != '"'; ++at_) {
            at_ += json_[at_] == '\\' ? 1U : 0U;
        }
        ++at_;
    }

    void blanks() noexcept { at_ = std::min(json_.find_first_not_of(kBlanks, at_), json_.size()); }

    std::string_view json_;
    std::size_t at_;
};

// ~1 is /, ~0 is ~.
std::string unescaped(std::string_view segment) {
    std::string text;
    for (std::size_t i = 0; i < segment.size(); ++i) {
        const bool escape = segment[i] == '~' && i + 1 < segment.size();
        if (escape) {
            text += segment[++i] == '1' ? '/' : '~';
        } else {
            text += segment[i];
        }
    }
    return text;
}

}  // namespace

std::pair<std::size_t, std::size_t> place_in_json(std::string_view json, std::string_view pointer) {
    Place place = Walker(json, 0).value();
    while (!pointer.empty()) {
        pointer.remove_prefix(1);
        const std::string_view segment = pointer.substr(0, pointer.find('/'));
        const auto child = Walker(json, place.first).child(unescaped(segment));
        if (!child) {
            return place;
        }
        place = *child;
        pointer.remove_prefix(segment.size());
    }
    return place;
}

}  // namespace jobforge::rules
