#include "rules/check/variable_scope.h"

namespace jobforge::rules {

std::size_t VariableScope::bind(const std::string& name, const Type& type) {
    const std::size_t slot = next_slot_++;
    variables_[name].push_back({type, slot});
    return slot;
}

void VariableScope::unbind(const std::string& name) {
    variables_[name].pop_back();
}

const VariableScope::Variable* VariableScope::find(const std::string& name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() || found->second.empty() ? nullptr : &found->second.back();
}

std::vector<std::string_view> VariableScope::names() const {
    std::vector<std::string_view> names;
    for (const auto& [name, variables] : variables_) {
        if (!variables.empty()) {
            names.emplace_back(name);
        }
    }
    return names;
}

}  // namespace jobforge::rules
