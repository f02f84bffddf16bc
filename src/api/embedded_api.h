// src/api/openapi.yaml, which the program carries with it.
#pragma once

#include <string_view>

namespace jobforge::api {

[[nodiscard]] std::string_view openapi_yaml() noexcept;

}  // namespace jobforge::api
