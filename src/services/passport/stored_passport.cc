#include "services/passport/stored_passport.h"

#include "base/crypto/hash.h"
#include "passport/bundle.h"
#include "passport/qr_text.h"
#include "services/passport/stored_facts.h"
#include "statements/passport.h"
#include "statements/rules.h"
#include "statements/snapshots.h"

namespace jobforge::services {

namespace {

using engine::Repeat;

Error not_signed(std::string_view status) {
    return Error::of(
        ErrorCode::INVALID_PASSPORT_STATUS,
        "the passport version is " + std::string(status) + ", and has no signed receipt yet");
}

Error tampered(std::string_view document, std::string message) {
    Error error = Error::of(ErrorCode::REPLAY_MISMATCH, std::move(message));
    error.details = Json::object({{"document", document}, {"offset", nullptr}}).dump();
    return error;
}

Result<passport::CompileInputs> read_inputs(const pg::Rows& version, const pg::Rows& rules,
                                            const pg::Rows& facts) {
    auto read = read_snapshot_facts(facts);
    if (!read.ok()) {
        return std::move(read).error();
    }
    passport::CompileInputs out;
    out.facts = *std::move(read);
    out.dsl_source = rules.text(0, 0);
    out.tests_source = rules.opt_text(0, 1).value_or("");
    out.product = {version.uuid(0, 3).to_string(), std::string(version.text(0, 5)),
                   std::string(version.text(0, 4))};
    return out;
}

Result<passport::Receipt> signed_receipt(const PassportRecord& record) {
    const auto document = passport::read_canonical_document(record.stored.receipt);
    if (!document.ok()) {
        return document.error();
    }
    return passport::read_receipt(*document, passport::Signed::yes);
}

}  // namespace

Result<PassportRecord> load_passport(engine::TenantCalls& calls, const Uuid& version) {
    pg::Params id;
    id.uuid(version);
    const auto row =
        calls.run_one(statements::passport::kStoredPassportVersion, id, Repeat::always);
    if (!row.ok()) {
        return row.error();
    }
    if (row->empty()) {
        return Error::of(ErrorCode::NOT_FOUND, "there is no such passport version");
    }
    pg::Params snapshot;
    snapshot.uuid(row->uuid(0, 1));
    pg::Params rules;
    rules.uuid(row->uuid(0, 2));
    const std::vector<engine::TenantCall> wanted{{statements::passport::kPassportArtifacts, id},
                                                 {statements::rules::kRuleSources, rules},
                                                 {statements::snapshots::kStoredSnapshot, snapshot},
                                                 {statements::snapshots::kSnapshotFacts, snapshot}};
    const auto rows = calls.run(wanted, Repeat::always);
    if (!rows.ok()) {
        return rows.error();
    }
    const pg::Rows& artifacts = rows->at(0);
    if (artifacts.is_null(0, 2)) {
        return not_signed(row->text(0, 0));
    }
    auto key = Ed25519PublicKey::from_bytes(artifacts.text(0, 6));
    auto inputs = read_inputs(*row, rows->at(1), rows->at(3));
    if (!key.ok() || !inputs.ok()) {
        return key.ok() ? std::move(inputs).error() : std::move(key).error();
    }
    PassportRecord record{.stored = {},
                          .status = std::string(row->text(0, 0)),
                          .snapshot_canonical = rows->at(2).opt_text(0, 0).value_or(""),
                          .qr_payload = artifacts.opt_text(0, 3).value_or(""),
                          .qr_png = artifacts.opt_text(0, 4).value_or(""),
                          .signing_key_id = std::string(artifacts.text(0, 5)),
                          .signing_key = *key};
    record.stored.inputs = *std::move(inputs);
    record.stored.payload = artifacts.text(0, 0);
    record.stored.proof = artifacts.text(0, 1);
    record.stored.receipt = artifacts.text(0, 2);
    return record;
}

Status replay_record(const PassportRecord& record) {
    if (auto same = passport::replay_passport(record.stored, record.signing_key); !same.ok()) {
        return same;
    }
    const auto receipt = signed_receipt(record);
    if (!receipt.ok()) {
        return receipt.error();
    }
    if (receipt->signing_key_id != record.signing_key_id) {
        return tampered("receipt", "The stored key id is not the one that the receipt names.");
    }
    if (sha256_hex(record.snapshot_canonical) != receipt->snapshot_hash) {
        return tampered("snapshot", "The sealed snapshot is not the one that the receipt names.");
    }
    if (!record.qr_payload.empty() && !passport::is_qr_text_of(*receipt, record.qr_payload)) {
        return tampered("qr", "The QR code does not say what the receipt says.");
    }
    return ok_status();
}

Result<std::string> bundle_of(const PassportRecord& record) {
    const auto receipt = signed_receipt(record);
    if (!receipt.ok()) {
        return receipt.error();
    }
    passport::CompileInputs inputs = record.stored.inputs;
    inputs.issue = passport::Issue::of(*receipt);
    passport::Compiled compiled;
    compiled.snapshot = record.snapshot_canonical;
    compiled.payload = record.stored.payload;
    compiled.proof = record.stored.proof;
    compiled.receipt = *receipt;
    return passport::write_bundle(inputs, compiled, *receipt);
}

}  // namespace jobforge::services
