#include "verify/operation.h"

#include <algorithm>
#include <array>

namespace jobforge::verify {

Status Environment::pay(std::uint64_t units) {
    if (units > budget) {
        budget = 0;
        return wrong("the proof's values are larger than any evaluation can have made");
    }
    budget -= units;
    return ok_status();
}

bool Call::is(std::size_t i, Type::Kind kind) const noexcept {
    return i < operands.size() && operands[i].type != nullptr && operands[i].type->is(kind);
}

const std::string* Call::constant_text(std::size_t i) const noexcept {
    return is(i, Type::Kind::text) && operands[i].is_constant ? operands[i].value->text() : nullptr;
}

const std::int64_t* Call::constant_integer(std::size_t i) const noexcept {
    return is(i, Type::Kind::integer) && operands[i].is_constant ? operands[i].value->integer()
                                                                 : nullptr;
}

const OperationRow* find_operation(std::string_view name) noexcept {
    for (const auto rows : {number_operations(), logic_operations(), list_operations(),
                            text_operations(), fact_operations()}) {
        const auto found = std::ranges::find(rows, name, &OperationRow::name);
        if (found != rows.end()) {
            return &*found;
        }
    }
    return nullptr;
}

Error wrong(std::string what) {
    return Error::of(ErrorCode::VALIDATION_ERROR, std::move(what));
}

}  // namespace jobforge::verify
