// Where two documents differ: for messages about bytes that should be equal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace jobforge::passport {

struct Difference {
    std::string_view document;  // "payload", "proof", "receipt"
    std::size_t offset = 0;     // of the first byte that differs

    [[nodiscard]] std::string text() const;
};

// nullopt if they are the same.
[[nodiscard]] std::optional<Difference> find_difference(std::string_view document,
                                                        std::string_view stored,
                                                        std::string_view computed);

}  // namespace jobforge::passport
