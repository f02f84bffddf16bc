#include "rules/eval/proof_builder.h"

#include <array>
#include <bit>
#include <charconv>

#include "base/crypto/hash.h"
#include "base/json/json_quote.h"

namespace jobforge::rules {
namespace {

constexpr std::size_t kLongestWrittenText = 256;

void append_number(std::string& out, std::uint32_t number) {
    std::array<char, 10> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}

void append_quoted_member(std::string& out, std::string_view name, std::string_view text) {
    out += '"';
    out += name;
    out += "\":";
    append_json_quoted(out, text);
}

void append_raw(std::string& out, std::uint32_t number) {
    const auto bytes = std::bit_cast<std::array<char, sizeof number>>(number);
    out.append(bytes.data(), bytes.size());
}

// What makes two nodes the same: kind, data and children. Never written anywhere.
void write_identity(std::string& key, ProofNodeKind kind, std::string_view data,
                    std::span<const std::uint32_t> children) {
    key.assign(1, static_cast<char>(kind));
    append_raw(key, static_cast<std::uint32_t>(children.size()));
    for (const std::uint32_t child : children) {
        append_raw(key, child);
    }
    key += data;
}

}  // namespace

std::string_view to_string(ProofNodeKind kind) noexcept {
    switch (kind) {
        case ProofNodeKind::constant:
            return "CONST";
        case ProofNodeKind::fact_get:
            return "FACT_GET";
        case ProofNodeKind::operation:
            return "OP";
        case ProofNodeKind::assertion:
            return "ASSERT";
        case ProofNodeKind::compliance:
            return "COMPLIANCE_EMIT";
        case ProofNodeKind::field:
            return "FIELD";
    }
    return "";
}

ProofBuilder::Id ProofBuilder::constant(const ProofType& type, const rules::Value& value) {
    std::string& data = begin_data();
    append_quoted_member(data, "type", type.notation);
    data += ",\"value\":";
    value.append_canonical(data);
    data += '}';
    return add(ProofNodeKind::constant, data, {}, value);
}

ProofBuilder::Id ProofBuilder::fact_get(std::string_view fact_type, std::string_view fact_key,
                                        std::string_view payload_hash, Id key) {
    std::string& data = begin_data();
    append_quoted_member(data, "fact_key", fact_key);
    data += ',';
    append_quoted_member(data, "fact_type", fact_type);
    data += ',';
    if (payload_hash.empty()) {
        data += "\"payload_hash\":null";
    } else {
        append_quoted_member(data, "payload_hash", payload_hash);
    }
    data += '}';
    return add(ProofNodeKind::fact_get, data, {&key, 1}, {});
}

std::uint32_t ProofBuilder::number_of(const std::string& notation) {
    const auto next = static_cast<std::uint32_t>(type_numbers_.size() + 1);
    return type_numbers_.try_emplace(notation, next).first->second;
}

ProofBuilder::Id ProofBuilder::operation(std::string_view op, const ProofType& type,
                                         const rules::Value& result, std::span<const Id> children) {
    // The language is pure: the result follows from operation, type and children, so a step that
    // was seen before is found without writing its data out (four of five are).
    write_identity(identity_, ProofNodeKind::operation, op, children);
    append_raw(identity_, type.number != 0 ? type.number : number_of(type.notation));
    if (const auto id = known()) {
        return *id;
    }
    std::string& data = begin_data();
    append_quoted_member(data, "op", op);
    data += ',';
    append_result(data, type, result);
    data += ',';
    append_quoted_member(data, "type", type.notation);
    data += '}';
    return append(ProofNodeKind::operation, data, children, result);
}

ProofBuilder::Id ProofBuilder::assertion(std::string_view code, std::span<const Id> children) {
    std::string& data = begin_data();
    append_quoted_member(data, "code", code);
    data += ",\"condition\":true}";
    return add(ProofNodeKind::assertion, data, children, rules::Value(true));
}

ProofBuilder::Id ProofBuilder::compliance(std::string_view id, std::string_view status,
                                          std::string_view evidence, std::span<const Id> children) {
    std::string& data = begin_data();
    append_quoted_member(data, "evidence", evidence);
    data += ',';
    append_quoted_member(data, "id", id);
    data += ',';
    append_quoted_member(data, "status", status);
    data += '}';
    return add(ProofNodeKind::compliance, data, children, rules::Value(status != "FAIL"));
}

ProofBuilder::Id ProofBuilder::field(std::string_view path, const ProofType& type,
                                     const rules::Value& value, std::span<const Id> children) {
    std::string& data = begin_data();
    append_quoted_member(data, "field", path);
    data += ',';
    append_quoted_member(data, "type", type.notation);
    data += '}';
    const Id id = add(ProofNodeKind::field, data, children, value);
    proof_.field_index.emplace(path, id);
    fields_.push_back(id);
    return id;
}

Proof ProofBuilder::finish(const ProofType& fields_type, const rules::Value& fields) && {
    operation("root", fields_type, fields, fields_);
    drop_unneeded();
    // Only now: ids are part of the hash, and dropping moves them. Children come first.
    hash_nodes();
    proof_.root_hash = proof_.nodes.back().hash;
    return std::move(proof_);
}

void ProofBuilder::drop_unneeded() {
    std::vector<ProofNode>& nodes = proof_.nodes;
    std::vector<bool> needed(nodes.size(), false);
    needed.back() = true;
    for (std::size_t id = nodes.size(); id-- > 0;) {
        if (!needed[id]) {
            continue;
        }
        for (const Id child : nodes[id].children) {
            needed[child] = true;
        }
    }
    // Moved up in place: children stand before their parents, so theirs are the new ids already.
    std::vector<Id> moved_to(nodes.size(), 0);
    Id next = 0;
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        if (!needed[id]) {
            continue;
        }
        moved_to[id] = next;
        if (next != id) {
            nodes[next] = std::move(nodes[id]);
            for (Id& child : nodes[next].children) {
                child = moved_to[child];
            }
        }
        ++next;
    }
    nodes.resize(next);
    for (auto& [path, id] : proof_.field_index) {
        id = moved_to[id];
    }
}

ProofBuilder::Id ProofBuilder::add(ProofNodeKind kind, std::string_view data,
                                   std::span<const Id> children, const rules::Value& value) {
    write_identity(identity_, kind, data, children);
    const auto id = known();
    return id ? *id : append(kind, data, children, value);
}

std::optional<ProofBuilder::Id> ProofBuilder::known() {
    const std::size_t hash = std::hash<std::string_view>()(identity_);
    const Identity<std::string_view> wanted{hash, identity_};
    if (const auto found = ids_.find(wanted); found != ids_.end()) {
        return found->second;
    }
    ids_.emplace(Identity<std::string>{hash, identity_}, static_cast<Id>(proof_.nodes.size()));
    return std::nullopt;
}

ProofBuilder::Id ProofBuilder::append(ProofNodeKind kind, std::string_view data,
                                      std::span<const Id> children, const rules::Value& value) {
    const auto id = static_cast<Id>(proof_.nodes.size());
    ProofNode& node = proof_.nodes.emplace_back();
    node.kind = kind;
    node.data = data;
    node.children.assign(children.begin(), children.end());
    node.value = value;
    // A digit and a comma for each child, {"children":[],"data":,"hash":"","id":0,"type":"OP"},
    minimum_bytes_ += node.data.size() + 64 + 2 * node.children.size() + 54;
    return id;
}

void ProofBuilder::hash_nodes() {
    std::string covered;
    for (std::size_t id = 0; id < proof_.nodes.size(); ++id) {
        ProofNode& node = proof_.nodes[id];
        covered = "{\"children_hashes\":[";
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            covered += i == 0 ? "\"" : ",\"";
            covered += proof_.nodes[node.children[i]].hash;
            covered += '"';
        }
        covered += "],\"data\":";
        covered += node.data;
        covered += ",\"id\":";
        append_number(covered, static_cast<Id>(id));
        covered += ",\"type\":\"";
        covered += to_string(node.kind);
        covered += "\"}";
        node.hash = sha256_hex(covered);
    }
}

void ProofBuilder::append_result(std::string& out, const ProofType& type,
                                 const rules::Value& value) {
    const bool long_text =
        value.kind() == rules::Value::Kind::text && value.text().size() > kLongestWrittenText;
    if (type.scalar && !long_text) {
        out += "\"result\":";
        value.append_canonical(out);
    } else {
        append_quoted_member(out, "result_hash", result_hash(value));
    }
}

std::string ProofBuilder::result_hash(const rules::Value& value) {
    const void* identity = value.identity();
    if (identity == nullptr) {
        return sha256_hex(value.canonical());
    }
    auto [place, is_new] = hashes_.try_emplace(identity);
    if (is_new) {
        place->second = {value, sha256_hex(value.canonical())};
    }
    return place->second.hash;
}

std::string Proof::canonical() const {
    std::size_t most = 256;
    for (const auto& [path, id] : field_index) {
        most += 2 * path.size() + 16;
    }
    for (const ProofNode& node : nodes) {
        most += node.data.size() + 11 * node.children.size() + 160;
    }
    std::string out;
    out.reserve(most);
    out += "{\"field_index\":{";
    for (const auto& [path, id] : field_index) {
        if (out.back() != '{') {
            out += ',';
        }
        append_json_quoted(out, path);
        out += ':';
        append_number(out, id);
    }
    out += "},\"nodes\":[";
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const ProofNode& node = nodes[i];
        out += i == 0 ? "{\"children\":[" : ",{\"children\":[";
        for (std::size_t child = 0; child < node.children.size(); ++child) {
            if (child != 0) {
                out += ',';
            }
            append_number(out, node.children[child]);
        }
        out += "],\"data\":";
        out += node.data;
        out += ",\"hash\":\"";
        out += node.hash;
        out += "\",\"id\":";
        append_number(out, static_cast<std::uint32_t>(i));
        out += ",\"type\":\"";
        out += to_string(node.kind);
        out += "\"}";
    }
    out += "],\"proof_version\":\"BPC-PROOF-1\",\"root_hash\":\"";
    out += root_hash;
    out += "\"}";
    return out;
}

}  // namespace jobforge::rules
