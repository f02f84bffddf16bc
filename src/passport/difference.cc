#include "passport/difference.h"

#include <algorithm>

#include <fmt/format.h>

namespace jobforge::passport {

std::string Difference::text() const {
    return fmt::format("the {} differs from what the facts and rules give, first at byte {}",
                       document, offset);
}

std::optional<Difference> find_difference(std::string_view document, std::string_view stored,
                                          std::string_view computed) {
    if (stored == computed) {
        return std::nullopt;
    }
    const auto place = std::ranges::mismatch(stored, computed).in1;
    return Difference{document, static_cast<std::size_t>(place - stored.begin())};
}

}  // namespace jobforge::passport
