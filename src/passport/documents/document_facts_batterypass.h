// Payloads of the BatteryPass data model, version 1.2, as BatteryData.
//
// The model of the Battery Pass consortium has seven submodels; a document has them as the members
// of one object, generalProductInformation first, or is generalProductInformation alone. Which
// member becomes which is the table in docs/formats.md; what it does not name is not taken, and the
// document itself stays as it was uploaded. Internal to document_facts. Pure.
#pragma once

#include <string_view>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge::passport {

// Whether a document is such a payload, or a submodel of one.
[[nodiscard]] bool is_battery_pass(const Json& document);

// The document in the shape of BatteryData, numbers as they are written. DOCUMENT_REJECTED with the
// JSON pointer of the first member that a generator of sample data filled in (a number that no
// battery has, a text without meaning), that is not of its kind, or that says which battery this is
// and is missing. Precondition: is_battery_pass.
[[nodiscard]] Result<Json> battery_data_of(const Json& document);

}  // namespace jobforge::passport
