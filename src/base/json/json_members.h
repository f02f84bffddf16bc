// Looks members of one JSON object up by name, many at a time.
//
// Json::find walks over the members, which is the fastest for the few that objects have. Documents
// from outside may have a hundred thousand, and a record may ask for thousands of them: for such an
// object the names are sorted once. Borrows the object. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include <jobforge/json.h>

namespace jobforge {

class JsonMembers final {
public:
    // `wanted`: how many look-ups will come.
    JsonMembers(const Json& object, std::size_t wanted) : object_(object) {
        const Json::Object& members = *object.as_object();
        if (members.size() <= kFew || wanted <= kFew) {
            return;
        }
        sorted_.reserve(members.size());
        for (const auto& member : members) {
            sorted_.push_back(&member);
        }
        std::ranges::sort(sorted_, {}, [](const auto* member) { return name_of(member); });
    }

    // nullptr: there is none.
    [[nodiscard]] const Json* find(std::string_view name) const {
        if (sorted_.empty()) {
            return object_.find(name);
        }
        const auto found = std::ranges::lower_bound(
            sorted_, name, {}, [](const auto* member) { return name_of(member); });
        return found == sorted_.end() || (*found)->first != name ? nullptr : &(*found)->second;
    }

private:
    static constexpr std::size_t kFew = 32;
    static std::string_view name_of(const Json::Member* member) { return member->first; }

    const Json& object_;
    std::vector<const Json::Member*> sorted_;
};

}  // namespace jobforge
