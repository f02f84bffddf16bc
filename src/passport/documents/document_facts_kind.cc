#include "passport/documents/document_facts_kind.h"

#include <algorithm>

#include <fmt/format.h>
#include <jobforge/json.h>

#include "base/text/csv.h"

namespace jobforge::passport {

std::span<const DocumentKind> document_kinds() {
    static const std::vector<DocumentKind> kKinds = {
        {"BOM", "components", "Battery", "battery", {"sku"}},
        {"PCF", "products", "PCF", "pcf", {"sku"}},
        {"DUE_DILIGENCE", "suppliers", "DueDiligence", "dd", {"id"}},
        // The GTIN first: it is what the published passport documents carry, and what products are
        // called by in examples/battery-eu.
        {"BATTERY_DATA", "", "BatteryData", "data", {"gtin", "sku"}},
    };
    return kKinds;
}

const DocumentKind* document_kind(std::string_view name) {
    const auto kinds = document_kinds();
    const auto found = std::ranges::find(kinds, name, &DocumentKind::name);
    return found == kinds.end() ? nullptr : &*found;
}

Error rejected_at(std::string_view pointer, std::string message) {
    Error error = Error::of(ErrorCode::DOCUMENT_REJECTED, std::move(message));
    error.details = fmt::format("{{\"pointer\":{}}}", json_quote(pointer));
    return error;
}

Error rejected_at(std::size_t line, std::size_t column, std::string_view message) {
    Error error = csv_fault(line, column, message);
    error.code = ErrorCode::DOCUMENT_REJECTED;
    return error;
}

std::string key_fault(std::string_view text) {
    if (text.empty()) {
        return "is empty.";
    }
    if (text.size() > kMaximumKeyBytes) {
        return fmt::format("has {} bytes; at most {} are allowed.", text.size(), kMaximumKeyBytes);
    }
    // Such a key looks like another one and is never found.
    if (text.front() == ' ' || text.back() == ' ') {
        return "begins or ends with a space.";
    }
    const bool control = std::ranges::any_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7F;
    });
    return control ? "has a line end, tab or other control character." : "";
}

std::string missing_key_sentence(const DocumentKind& kind) {
    if (kind.key_members.size() > 1) {
        return fmt::format(
            "A {} document needs a \"gtin\" or a \"sku\", to say which battery it "
            "is about; here is neither.",
            kind.name);
    }
    return fmt::format("Each of \"{}\" needs a \"{}\", and here is none.", kind.list,
                       kind.key_members[0]);
}

std::string too_many_facts_sentence() {
    return fmt::format("A document has at most {} entries; split it into several documents.",
                       kMaximumDocumentFacts);
}

const std::string* FactList::place_of(const std::string& key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : &facts_[found->second].place;
}

void FactList::add(DocumentFact fact) {
    by_key_.emplace(fact.fact_key, facts_.size());
    facts_.push_back(std::move(fact));
}

}  // namespace jobforge::passport
