// The values of a passport as people read them in HTML. Everything that came from a tenant is
// escaped. Pure.
#pragma once

#include <string>
#include <string_view>

#include <jobforge/json.h>

namespace jobforge::api {

// "ratedCapacity_kwh" -> "Rated capacity kwh": names of rules are for people too.
[[nodiscard]] std::string readable_name(std::string_view name);
// Isolated: a text that runs from right to left must not turn what stands around it.
[[nodiscard]] std::string shown_text(std::string_view text);
[[nodiscard]] std::string shown_value(const Json& value);
// Whether it says anything. Null, a text of white space, an empty list and an object whose members
// all say nothing do not.
[[nodiscard]] bool is_stated(const Json& value);

}  // namespace jobforge::api
