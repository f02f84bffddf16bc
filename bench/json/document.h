// The document the JSON benchmark reads: made by a fixed recipe, so that every run has the same.
#pragma once

#include <cstddef>
#include <string>

namespace jobforge::bench {

struct DocumentShape {
    std::size_t bytes;       // at least so long
    bool fractions = false;  // numbers with fractions, which have no canonical form, as numbers
    bool indented = false;   // with the white space of a document for people
};

// Records of battery products in the proportions of real ones: short keys and words, ids, dates,
// sentences (some with escapes, some not ASCII), integers and decimals, nested lists and objects.
[[nodiscard]] std::string make_document(const DocumentShape& shape);

}  // namespace jobforge::bench
