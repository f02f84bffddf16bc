// The facts that rules read: JSON payloads under (fact_type, fact_key), with the document each came
// from.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge::rules {

struct Fact {
    std::string fact_type;
    std::string fact_key;
    Json payload;               // numbers already exact: canonical integers or strings
    std::string source_sha256;  // hex, of the document's bytes; empty for facts of tests
    std::string source_name;    // for messages only: a file's name; may be empty
    std::string payload_hash;   // hex, of the canonical payload: FactSet::make fills it
    // JSON pointers, sorted, of strings in the payload that the document has as numbers
    // (core/document_numbers.h): they do not satisfy Text. Not part of the fact: where it is not
    // known, as in a bundle, it is empty.
    std::vector<std::string> numbers = {};

    // How messages call the document: its name, else its hash.
    [[nodiscard]] std::string document() const;
};

// Facts in the order of (fact_type, fact_key) bytes, so that the order in which they were given
// leaves no trace. Immutable; any thread.
class FactSet final {
public:
    FactSet() = default;
    // VALIDATION_ERROR if two facts have the same type and key: which one a rule sees must not
    // depend on luck. What core/canonical.h says of a payload without a canonical form.
    [[nodiscard]] static Result<FactSet> make(std::vector<Fact> facts);

    [[nodiscard]] const std::vector<Fact>& all() const noexcept { return facts_; }
    [[nodiscard]] const Fact* find(std::string_view fact_type,
                                   std::string_view fact_key) const noexcept;
    // Those whose key begins with `prefix`, by key bytes.
    [[nodiscard]] std::span<const Fact> with_prefix(std::string_view fact_type,
                                                    std::string_view prefix) const noexcept;

private:
    std::vector<Fact> facts_;
};

}  // namespace jobforge::rules
