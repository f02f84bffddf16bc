// Numbers with their noun: "1 job", "2 jobs".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jobforge {

// `many` is the noun's plural where it is not the noun with an s.
[[nodiscard]] std::string counted(std::int64_t count, std::string_view one,
                                  std::string_view many = {});

}  // namespace jobforge
