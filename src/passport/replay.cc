#include "passport/replay.h"

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/json/canonical.h"
#include "passport/bundle.h"
#include "passport/difference.h"
#include "passport/sign.h"
#include "passport/snapshot.h"

namespace jobforge::passport {
namespace {

Error mismatch(std::string_view document, std::string message, Json offset = {}) {
    Error error = Error::of(ErrorCode::REPLAY_MISMATCH, std::move(message));
    error.details = Json::object({{"document", document}, {"offset", std::move(offset)}}).dump();
    return error;
}

Result<Receipt> read_stored_receipt(const std::string& bytes) {
    const auto document = read_canonical_document(bytes);
    if (!document.ok()) {
        return document.error();
    }
    return read_receipt(*document, Signed::yes);
}

// The snapshot's hash before anything is compiled: facts that were changed should be called that.
Status check_snapshot(const CompileInputs& inputs, const Receipt& receipt) {
    const auto facts = rules::FactSet::make(inputs.facts);
    if (!facts.ok()) {
        return mismatch("snapshot", facts.error().message);
    }
    const auto snapshot = snapshot_document(receipt.snapshot_id, *facts);
    if (!snapshot.ok()) {
        return mismatch("snapshot", snapshot.error().message);
    }
    const auto bytes = canonical(*snapshot);
    if (!bytes.ok()) {
        return mismatch("snapshot", bytes.error().message);
    }
    if (sha256_hex(*bytes) == receipt.snapshot_hash) {
        return ok_status();
    }
    return mismatch("snapshot", "The stored facts do not have the receipt's snapshot_hash.");
}

}  // namespace

Status replay_passport(const StoredPassport& stored, const TrustedKey& trusted) {
    const Ed25519PublicKey& key = trusted.key;
    const auto receipt = read_stored_receipt(stored.receipt);
    if (!receipt.ok()) {
        return receipt.error();
    }
    if (!trusted.may_be(receipt->signing_key_id)) {
        return Error::of(ErrorCode::SIGNATURE_INVALID,
                         fmt::format("The receipt names the key {}, not {}.",
                                     json_quote(receipt->signing_key_id), json_quote(trusted.id)));
    }
    CompileInputs inputs = stored.inputs;
    inputs.issue = Issue::of(*receipt);
    if (auto same = check_snapshot(inputs, *receipt); !same.ok()) {
        return same;
    }
    // Before anything is compiled, which takes as long as rules and facts want: these are the ones
    // that were signed.
    if (auto valid = verify_signature(*receipt, key); !valid.ok()) {
        return valid;
    }
    if (sha256_hex(inputs.dsl_source) != receipt->dsl_sha256 ||
        sha256_hex(inputs.tests_source) != receipt->tests_sha256) {
        return mismatch("receipt", "The stored rules do not have the receipt's hashes.");
    }
    const auto compiled = compile_passport(inputs, CompileLimits::none());
    if (!compiled.ok()) {
        return mismatch("payload", "Compiling again fails: " + compiled.error().message);
    }
    for (const auto& difference : {find_difference("payload", stored.payload, compiled->payload),
                                   find_difference("proof", stored.proof, compiled->proof),
                                   find_difference("receipt", receipt->unsigned_bytes(),
                                                   compiled->receipt.unsigned_bytes())}) {
        if (difference) {
            return mismatch(difference->document, "Replay: " + difference->text() + ".",
                            static_cast<std::uint64_t>(difference->offset));
        }
    }
    return ok_status();
}

}  // namespace jobforge::passport
