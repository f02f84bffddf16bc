// The public page of a passport: HTML for a phone that has read a QR code. No script, nothing from
// elsewhere, everything that came from a tenant escaped. Pure.
//
// Knows no access rules: what may be shown was chosen by the SQL function public_passport, and
// whatever stands here is shown.
//
// The hashes of a printed code are behind the # of its link and never reach the server. The page
// has a sentence for each version, with the text behind its # as the id, and the style shows the
// one that the browser was sent to (:target): so it says to which version a code belongs without a
// script.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <jobforge/json.h>

namespace jobforge::api {

struct PublicField {
    std::string path;  // "carbon.footprint"
    Json value;        // as the payload has it
};

// Numbers of compliance entries by their status.
struct FindingCounts {
    int pass = 0, fail = 0, warn = 0, pending = 0, not_applicable = 0;
    int unknown = 0;  // a status that is none of these: compiled by an early release

    [[nodiscard]] int made() const noexcept { return pass + fail + warn + unknown; }
    [[nodiscard]] int all() const noexcept { return made() + pending + not_applicable; }
};

// A compliance entry that fails or warns. Without its texts: rules compute them, so that they may
// hold what is not public.
struct PublicFinding {
    std::string status;
    std::optional<std::string> id = {}, evidence = {};
    std::optional<std::string> reason = {}, accepted_on = {};  // if the issuer accepted it
};

// Hex.
struct PassportHashes {
    std::string payload_hash, proof_root_hash, receipt_hash;
};

struct PublicVersion {
    int version_number = 0;
    std::string status;
    std::string issued_on;
    PassportHashes hashes;
};

struct PublicPassport {
    std::string passport_id, passport_version_id;
    int version_number = 0;
    std::string status;  // SIGNED, ACTIVE, SUPERSEDED or REVOKED
    std::string product_name;
    std::string issued_on;  // YYYY-MM-DD
    std::optional<std::string> superseded_on, revoked_on;
    std::optional<std::string> revocation_reason;
    PassportHashes hashes;
    std::string signing_key_id;
    bool signature_fits = false;  // it was verified, over a receipt of exactly this version
    bool another_is_current = false;
    std::optional<std::string> qr_text;
    std::vector<PublicField> fields;
    FindingCounts counts;
    std::vector<PublicFinding> findings;
    std::vector<PublicVersion> versions;  // all signed ones of the passport, this one too
};

[[nodiscard]] std::string passport_page(const PublicPassport& passport);
// The one page for everything that is not there: it says nothing of why.
[[nodiscard]] std::string no_passport_page();
// What a browser may do with either page: apply their style, and nothing else.
[[nodiscard]] const std::string& passport_page_policy();

}  // namespace jobforge::api
