// Any bytes as a document of every kind, in both forms. What must hold: no crash, no bad memory, no
// endless work; every fact has a canonical payload that is an object, a key of its own and a place;
// a refusal is DOCUMENT_REJECTED with a sentence and a place that is JSON. A violation aborts.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string_view>

#include "base/json/canonical.h"
#include "passport/documents/document_facts.h"

namespace {

using namespace jobforge;

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "violated: %s\n", what);
        std::abort();
    }
}

void check_fact(const passport::DocumentFact& fact) {
    require(fact.payload.is_object(), "a payload is an object");
    const auto bytes = canonical(fact.payload);
    require(bytes.ok(), "a payload has a canonical form");
    require(canonical(Json::parse(*bytes).value()).value() == *bytes, "which is its own");
    const std::size_t colon = fact.fact_key.find(':');
    require(colon != std::string::npos && colon + 1 < fact.fact_key.size(),
            "a key is not a prefix");
    require(fact.fact_key.size() <= passport::kMaximumKeyBytes + 20, "a key is short");
}

void check_document(std::string_view kind, std::string_view media_type, std::string_view bytes) {
    const auto facts = passport::facts_of_document(kind, media_type, bytes);
    if (!facts.ok()) {
        require(facts.error().code == ErrorCode::DOCUMENT_REJECTED, "a bad document is rejected");
        require(!facts.error().message.empty(), "with a reason");
        require(Json::parse(facts.error().details).ok(), "and a place");
        require(Json::parse(facts.error().to_json()).ok(), "that can be stored");
        return;
    }
    std::set<std::string_view> keys;
    for (const auto& fact : *facts) {
        check_fact(fact);
        require(keys.insert(fact.fact_key).second, "keys differ");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    for (const std::string_view kind : {"BOM", "PCF", "DUE_DILIGENCE", "BATTERY_DATA"}) {
        check_document(kind, "application/json", bytes);
        check_document(kind, "text/csv", bytes);
    }
    return 0;
}
