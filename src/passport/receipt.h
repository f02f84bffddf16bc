// BPC-RECEIPT-1: which passport was issued by which tenant, when, from what. 17 texts; the last is
// the signature over the other sixteen (sign.h).
//
// Pure values; any thread.
#pragma once

#include <string>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge::passport {

struct Receipt {
    std::string issued_at;  // six fraction digits, Z
    std::string tenant_id;
    std::string passport_version_id;
    std::string passport_id;
    std::string battery_product_id;
    std::string snapshot_id;
    std::string snapshot_hash;
    std::string rule_package_version_id;
    std::string dsl_sha256;
    std::string tests_sha256;
    std::string compiler_build_id;
    std::string payload_hash;
    std::string proof_root_hash;
    std::string signing_key_id;
    std::string signature;  // base64; empty: not signed yet

    // The document; without "signature" if there is none.
    [[nodiscard]] Json document() const;
    // Canonical bytes of the document without the signature: what is hashed and signed.
    [[nodiscard]] std::string unsigned_bytes() const;
    // Hex.
    [[nodiscard]] std::string hash() const;
};

enum class Signed { no, yes };

// Strict: exactly the 17 members (16 if Signed::no), each in its one spelling. VALIDATION_ERROR
// that names the first member that is wrong.
[[nodiscard]] Result<Receipt> read_receipt(const Json& document, Signed is_signed);

// VALIDATION_ERROR naming the first member whose text does not have its form; the signature aside.
[[nodiscard]] Status check_receipt(const Receipt& receipt);

}  // namespace jobforge::passport
