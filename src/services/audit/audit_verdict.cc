#include "services/audit/audit_verdict.h"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace jobforge::services {

namespace {

Json keys_json(const passport::AuditReport& report, const AuditEvidence& evidence) {
    Json keys = Json::array();
    for (std::size_t at = 0; at < evidence.keys.size(); ++at) {
        keys.push_back(Json::object({{"public_key", evidence.keys[at].key.base64()},
                                     {"source", evidence.keys[at].source},
                                     {"signatures", report.signatures_by_key.at(at)}}));
    }
    return keys;
}

Json heads_json(const passport::AuditReport& report, const AuditEvidence& evidence) {
    Json heads = Json::array();
    for (std::size_t at = 0; at < evidence.heads.size(); ++at) {
        const bool read = at < report.outside_sizes.size();
        heads.push_back(
            Json::object({{"source", evidence.heads[at].source},
                          {"tree_size", read ? Json(report.outside_sizes[at]) : Json(nullptr)}}));
    }
    return heads;
}

}  // namespace

std::vector<Ed25519PublicKey> AuditEvidence::public_keys() const {
    std::vector<Ed25519PublicKey> all;
    for (const TrustedKey& key : keys) {
        all.push_back(key.key);
    }
    return all;
}

std::string_view audit_verdict(const passport::AuditReport& report) {
    if (!report.ok()) {
        return "broken";
    }
    return report.anchored() ? "whole" : "not_anchored";
}

std::string why_not_anchored(const passport::AuditReport& report, const AuditEvidence& evidence) {
    if (!report.ok() || report.anchored()) {
        return "";
    }
    if (report.events == 0) {
        return "there are no events";
    }
    if (report.heads + report.outside_heads == 0) {
        return "there is no signed head";
    }
    if (evidence.keys.empty()) {
        return "no trusted key is known; " + evidence.how_to_add_a_key;
    }
    if (report.signatures_checked == 0) {
        return "no head names a key of this deployment; " + evidence.how_to_add_a_key;
    }
    if (report.has_unplaced) {
        return fmt::format("{} of the events are not in the log, and no head stands for them",
                           report.events_not_logged);
    }
    return "the signed heads cover no event";
}

Json audit_answer(const passport::AuditReport& report, const AuditEvidence& evidence) {
    const std::string why = why_not_anchored(report, evidence);
    Json out = Json::object({{"valid", report.ok()},
                             {"anchored", report.anchored()},
                             {"verdict", audit_verdict(report)},
                             {"not_anchored_because", why.empty() ? Json(nullptr) : Json(why)},
                             {"events", report.events},
                             {"chains", report.aggregates},
                             {"log_entries", report.log_entries},
                             {"events_not_logged", report.events_not_logged},
                             {"events_under_head", report.events_under_head},
                             {"heads", report.heads},
                             {"outside_heads", report.outside_heads},
                             {"signatures_checked", report.signatures_checked},
                             {"trusted_keys", keys_json(report, evidence)},
                             {"heads_kept_outside", heads_json(report, evidence)},
                             {"fault", Json()}});
    if (report.fault) {
        auto fault = Json::parse(report.fault->to_json());
        out.set("fault", fault.ok() ? *std::move(fault) : Json(report.fault->message));
    }
    return out;
}

}  // namespace jobforge::services
