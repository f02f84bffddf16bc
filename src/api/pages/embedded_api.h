// src/api/openapi.yaml, which the program carries with it, and its page for people.
#pragma once

#include <string_view>

namespace jobforge::api {

[[nodiscard]] std::string_view openapi_yaml() noexcept;
[[nodiscard]] std::string_view api_page() noexcept;

}  // namespace jobforge::api
