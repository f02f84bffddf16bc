// The fields of a passport as one nested record: paths "battery.mass" become members of members.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "verify/proof_type.h"
#include "verify/proof_value.h"

namespace jobforge::verify {

class FieldTree final {
public:
    // False if the path has an empty part, or is there already, whole or as the beginning of
    // another.
    [[nodiscard]] bool add(std::string_view path, const Type* type, const Value& value);
    // Whether `type` is the record of exactly these fields.
    [[nodiscard]] bool has_type(const Type& type) const;
    [[nodiscard]] Value value() const;

private:
    std::map<std::string, std::unique_ptr<FieldTree>, std::less<>> members_;
    const Type* type_ = nullptr;  // of a leaf
    Value value_;
};

}  // namespace jobforge::verify
