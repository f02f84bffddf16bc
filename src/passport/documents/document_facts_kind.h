// The kinds of documents that facts are read from, and what both readers (JSON and CSV) share.
// Internal to document_facts. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <jobforge/error.h>

#include "passport/documents/document_facts.h"

namespace jobforge::passport {

struct DocumentKind {
    std::string_view name;
    std::string_view list;  // the member with the elements; empty: the document is the one element
    std::string_view fact_type;
    std::string_view key_prefix;
    std::vector<std::string_view> key_members;  // the first that is there makes the key
};

[[nodiscard]] std::span<const DocumentKind> document_kinds();
// nullptr for a kind that facts are not read from.
[[nodiscard]] const DocumentKind* document_kind(std::string_view name);

// DOCUMENT_REJECTED at a JSON pointer.
[[nodiscard]] Error rejected_at(std::string_view pointer, std::string message);
// DOCUMENT_REJECTED at a line and column.
[[nodiscard]] Error rejected_at(std::size_t line, std::size_t column, std::string_view message);

// Why a text cannot be part of a key, to follow its member's name in a sentence; empty if it can.
[[nodiscard]] std::string key_fault(std::string_view text);
[[nodiscard]] std::string missing_key_sentence(const DocumentKind& kind);
[[nodiscard]] std::string too_many_facts_sentence();

// Facts in their order, and where each key was said first.
class FactList final {
public:
    // nullptr if the key is new.
    [[nodiscard]] const std::string* place_of(const std::string& key) const;
    // Precondition: the key is new.
    void add(DocumentFact fact);
    [[nodiscard]] std::size_t size() const noexcept { return facts_.size(); }
    [[nodiscard]] std::vector<DocumentFact> take() && { return std::move(facts_); }

private:
    std::vector<DocumentFact> facts_;
    std::unordered_map<std::string, std::size_t> by_key_;
};

}  // namespace jobforge::passport
