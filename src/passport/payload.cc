#include "passport/payload.h"

#include "base/json/canonical.h"

namespace jobforge::passport {

Result<std::string> payload_bytes(const rules::CheckedPackage& package,
                                  const rules::Evaluation& evaluation, const Product& product) {
    Json::Object access;
    for (const rules::FieldDeclaration& field : package.fields) {
        access.emplace_back(field.path.text, rules::access_name(field.access));
    }
    Json::Array compliance;
    for (const rules::ComplianceEntry& entry : evaluation.compliance) {
        compliance.push_back(Json::object(
            {{"evidence", entry.evidence}, {"id", entry.id}, {"status", entry.status}}));
    }
    auto fields = Json::parse(evaluation.fields.canonical());
    if (!fields.ok()) {
        return std::move(fields).error();
    }
    return canonical(Json::object({{"access", std::move(access)},
                                   {"compliance", std::move(compliance)},
                                   {"fields", std::move(*fields)},
                                   {"passport_version", "BPC-PASSPORT-1"},
                                   {"product", product.document()}}));
}

}  // namespace jobforge::passport
