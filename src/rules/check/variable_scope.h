// The variables of one root expression: names in scope, and a slot for each in its frame.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rules/check/rule_type.h"

namespace jobforge::rules {

class VariableScope final {
public:
    struct Variable {
        Type type;
        std::size_t slot = 0;
    };

    // Hides a variable of the same name until unbind. Returns the slot, which is never used again.
    std::size_t bind(const std::string& name, const Type& type);
    void unbind(const std::string& name);

    // The innermost of this name; nullptr if there is none. Valid until the next bind.
    [[nodiscard]] const Variable* find(const std::string& name) const;
    // In no order.
    [[nodiscard]] std::vector<std::string_view> names() const;
    [[nodiscard]] std::size_t frame_size() const noexcept { return next_slot_; }

private:
    std::unordered_map<std::string, std::vector<Variable>> variables_;  // innermost last
    std::size_t next_slot_ = 0;
};

}  // namespace jobforge::rules
