// jobforge keys ... --platform: keys that administer all tenants. They need an operator's database
// login and no tenant.
#pragma once

#include <string>

#include "cli/arguments.h"
#include "cli/context.h"
#include "services/access/pepper_check.h"

namespace jobforge::cli {

// Each prints what it did and returns the exit code.
[[nodiscard]] int create_platform_key(const Context& context, const services::Pepper& pepper,
                                      services::PepperChange change, const std::string& name,
                                      const When& expires);
[[nodiscard]] int list_platform_keys(const Context& context);
[[nodiscard]] int revoke_platform_key(const Context& context, const std::string& key_id,
                                      const std::string& reason);

}  // namespace jobforge::cli
