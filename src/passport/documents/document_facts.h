// What an uploaded document says: its facts.
//
//   kind           JSON                        fact type      fact key
//   BOM            {"components": [{...}]}     Battery        battery:<sku>
//   PCF            {"products": [{...}]}       PCF            pcf:<sku>
//   DUE_DILIGENCE  {"suppliers": [{...}]}      DueDiligence   dd:<id>
//   BATTERY_DATA   {...}, the whole document   BatteryData    data:<gtin>, else data:<sku>
//
// The payload of a fact is the element as it is written, with exact numbers (document_numbers.h),
// so it has a canonical form. CSV: a header row, then one fact a row (BATTERY_DATA: exactly one
// row); columns are members, dots nest ("weight.value"), cells are text, an empty cell is a member
// that is absent. docs/formats.md has the whole table.
//
// Pure: the same bytes give the same facts. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge::passport {

struct DocumentFact {
    std::string fact_type;
    std::string fact_key;
    Json payload;       // an object; canonical() never refuses it
    std::string place;  // JSON pointer ("/components/3", "" is the whole document) or "line 4"
    // JSON pointers into the payload, sorted, of strings that are numbers in the document.
    std::vector<std::string> numbers = {};
};

// Limits, so that no document costs more memory than a worker has. A value costs up to some hundred
// bytes in memory and as little as two in a document: 64 MiB of "0," would need gigabytes.
inline constexpr std::size_t kMaximumDocumentBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaximumDocumentValues = 2'000'000;
inline constexpr std::size_t kMaximumDocumentFacts = 100'000;
// Of a sku, gtin or id, in bytes.
inline constexpr std::size_t kMaximumKeyBytes = 200;
// Levels of a fact's payload: the bundle puts three around it, and canonical JSON has 128. A fact
// that is stored can be exported.
inline constexpr int kMaximumFactDepth = 125;
// Members that the dots of one CSV column nest.
inline constexpr std::size_t kMaximumHeaderDepth = 8;

// The facts in the order of the document; none if its list is empty. `kind` is the stored word, and
// `media_type` is application/json or text/csv. UNSUPPORTED_DOCUMENT_KIND for any other kind.
// DOCUMENT_REJECTED for everything that is wrong with the bytes, with a sentence for the person who
// uploaded them, and the place in details: {"pointer"} for what a member says, {"line","column"}
// (and "offset") for JSON syntax, {"line","column"} for CSV.
[[nodiscard]] Result<std::vector<DocumentFact>> facts_of_document(std::string_view kind,
                                                                  std::string_view media_type,
                                                                  std::string_view bytes);

}  // namespace jobforge::passport
