#include "verify/proof.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/json/canonical.h"

namespace jobforge::verify {
namespace {

using Kind = Node::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 6> kKinds{{
    {"CONST", Kind::constant},
    {"FACT_GET", Kind::fact_get},
    {"OP", Kind::operation},
    {"ASSERT", Kind::assertion},
    {"COMPLIANCE_EMIT", Kind::compliance},
    {"FIELD", Kind::field},
}};

std::optional<Kind> find_kind(const Json& type) {
    const std::string* name = type.as_string();
    const auto* found = std::ranges::find_if(
        kKinds, [name](const auto& kind) { return name != nullptr && kind.first == *name; });
    return found == kKinds.end() ? std::nullopt : std::optional(found->second);
}

bool is_text(const Json& data, std::initializer_list<std::string_view> names) {
    return std::ranges::all_of(
        names, [&data](std::string_view name) { return data.find(name)->is_string(); });
}

Status operation_data(const Json& data) {
    const bool hashed = data.find("result_hash") != nullptr;
    if (auto members = exact_members(data, {"op", hashed ? "result_hash" : "result", "type"});
        !members.ok()) {
        return members;
    }
    if (!is_text(data, {"op", "type"}) || (hashed && !is_text(data, {"result_hash"}))) {
        return Error::of(ErrorCode::VALIDATION_ERROR, "op, type and result_hash are texts");
    }
    return ok_status();
}

// The members of `data` and their kinds of JSON value.
Status check_data(Kind kind, const Json& data) {
    const auto texts = [&data](std::initializer_list<std::string_view> names,
                               std::initializer_list<std::string_view> of_text) -> Status {
        if (auto members = exact_members(data, names); !members.ok()) {
            return members;
        }
        if (is_text(data, of_text)) {
            return ok_status();
        }
        return Error::of(ErrorCode::VALIDATION_ERROR, "a member of data that must be text is not");
    };
    switch (kind) {
        case Kind::constant:
            return texts({"type", "value"}, {"type"});
        case Kind::fact_get:
            return texts({"fact_key", "fact_type", "payload_hash"}, {"fact_key", "fact_type"});
        case Kind::operation:
            return operation_data(data);
        case Kind::assertion:
            return texts({"code", "condition"}, {"code"});
        case Kind::compliance:
            return texts({"evidence", "id", "status"}, {"evidence", "id", "status"});
        case Kind::field:
            return texts({"field", "type"}, {"field", "type"});
    }
    return Error::of(ErrorCode::VALIDATION_ERROR, "no such type of node");
}

std::optional<std::vector<NodeId>> read_children(const Json& json, NodeId parent) {
    if (!json.is_array()) {
        return {};
    }
    std::vector<NodeId> children;
    for (const Json& item : *json.as_array()) {
        const auto id = item.as_int64();
        if (!id || *id < 0 || *id >= parent) {
            return {};
        }
        children.push_back(static_cast<NodeId>(*id));
    }
    return children;
}

class Reader final {
public:
    explicit Reader(const Json& proof) : proof_(proof) {}

    [[nodiscard]] Result<std::vector<Node>> read() {
        for (const auto step : {&Reader::envelope, &Reader::all_nodes, &Reader::nothing_twice,
                                &Reader::everything_reachable, &Reader::root, &Reader::index}) {
            if (auto done = (this->*step)(); !done.ok()) {
                return std::move(done).error();
            }
        }
        return std::move(nodes_);
    }

private:
    Status envelope() {
        if (auto members =
                exact_members(proof_, {"field_index", "nodes", "proof_version", "root_hash"});
            !members.ok()) {
            return members;
        }
        if (*proof_.find("proof_version") != Json("BPC-PROOF-1")) {
            return invalid("proof_version is not BPC-PROOF-1");
        }
        const Json::Array* nodes = proof_.find("nodes")->as_array();
        if (nodes == nullptr || nodes->empty()) {
            return invalid("nodes is not a list, or empty");
        }
        return ok_status();
    }

    Status all_nodes() {
        const Json::Array& documents = *proof_.find("nodes")->as_array();
        nodes_.reserve(documents.size());
        for (const Json& document : documents) {
            const auto id = static_cast<NodeId>(nodes_.size());
            if (auto read = one_node(document, id); !read.ok()) {
                return node_fault(id, read.error().message);
            }
        }
        return ok_status();
    }

    Status one_node(const Json& json, NodeId id) {
        if (auto members = exact_members(json, {"children", "data", "hash", "id", "type"});
            !members.ok()) {
            return members;
        }
        if (json.find("id")->as_int64() != std::optional<std::int64_t>(id)) {
            return invalid("its id is not its place");
        }
        const auto kind = find_kind(*json.find("type"));
        auto children = read_children(*json.find("children"), id);
        if (!kind) {
            return invalid("there is no such type of node");
        }
        if (!children) {
            return invalid("its children are not earlier nodes");
        }
        if (auto data = check_data(*kind, *json.find("data")); !data.ok()) {
            return data;
        }
        nodes_.push_back({*kind, json.find("data"), std::move(*children), {}});
        return hash_node(json, id);
    }

    // The hash, and what makes a node the same as another: everything but its id.
    Status hash_node(const Json& json, NodeId id) {
        Node& node = nodes_.back();
        const auto data = canonical(*node.data);
        if (!data.ok()) {
            return invalid("its data has no canonical form: " + data.error().message);
        }
        std::string hashes;
        for (const NodeId child : node.children) {
            hashes += fmt::format("{}\"{}\"", hashes.empty() ? "" : ",", nodes_[child].hash);
        }
        const std::string& type = *json.find("type")->as_string();
        node.hash =
            sha256_hex(fmt::format(R"({{"children_hashes":[{}],"data":{},"id":{},"type":"{}"}})",
                                   hashes, *data, id, type));
        if (*json.find("hash") != Json(node.hash)) {
            return invalid("its hash is not that of its content");
        }
        identities_.emplace_back(sha256(fmt::format("{}|{}|{}", type, hashes, *data)), id);
        return ok_status();
    }

    Status nothing_twice() {
        std::ranges::sort(identities_);
        const auto twin = std::ranges::adjacent_find(identities_, {}, &Identity::first);
        if (twin == identities_.end()) {
            return ok_status();
        }
        return node_fault(std::next(twin)->second,
                          fmt::format("it is the same as node {}", twin->second));
    }

    Status everything_reachable() {
        std::vector<bool> reached(nodes_.size(), false);
        reached.back() = true;
        for (std::size_t id = nodes_.size(); id-- > 0;) {
            if (!reached[id]) {
                return node_fault(static_cast<NodeId>(id), "nothing leads to it from the root");
            }
            for (const NodeId child : nodes_[id].children) {
                reached[child] = true;
            }
        }
        return ok_status();
    }

    Status root() {
        std::vector<NodeId> fields;
        for (NodeId id = 0; id < nodes_.size(); ++id) {
            const Node& node = nodes_[id];
            const bool is_root = node.kind == Kind::operation && node.text("op") == "root";
            if (is_root != (id + 1 == nodes_.size())) {
                return node_fault(id, "OP root is the last node, and no other");
            }
            if (node.kind == Kind::field) {
                fields.push_back(id);
            }
        }
        if (nodes_.back().children != fields) {
            return node_fault(static_cast<NodeId>(nodes_.size() - 1),
                              "the root's children are not all FIELD nodes in order");
        }
        if (*proof_.find("root_hash") != Json(nodes_.back().hash)) {
            return invalid("root_hash is not the hash of the last node");
        }
        return ok_status();
    }

    Status index() {
        const Json::Object* written = proof_.find("field_index")->as_object();
        std::map<std::string_view, NodeId> expected;
        for (const NodeId id : nodes_.back().children) {
            if (!expected.emplace(nodes_[id].text("field"), id).second) {
                return node_fault(id, "a second FIELD of the same path");
            }
        }
        if (written == nullptr || written->size() != expected.size()) {
            return invalid("field_index does not list the FIELD nodes");
        }
        for (const auto& [path, id] : *written) {
            const auto found = expected.find(path);
            if (found == expected.end() ||
                id.as_int64() != std::optional<std::int64_t>(found->second)) {
                return invalid("field_index does not say where \"" + path + "\" is");
            }
        }
        return ok_status();
    }

    static Error invalid(std::string what) {
        return Error::of(ErrorCode::VALIDATION_ERROR, std::move(what));
    }

    using Identity = std::pair<Sha256, NodeId>;

    const Json& proof_;
    std::vector<Node> nodes_;
    std::vector<Identity> identities_;
};

}  // namespace

const std::string& Node::text(std::string_view member) const {
    return *data->find(member)->as_string();
}

Error node_fault(NodeId id, const std::string& what) {
    Error error = Error::of(ErrorCode::VALIDATION_ERROR, fmt::format("node {}: {}", id, what));
    error.details = fmt::format(R"({{"node":{}}})", id);
    return error;
}

Status exact_members(const Json& value, std::initializer_list<std::string_view> names) {
    const auto is_there = [&value](std::string_view name) { return value.find(name) != nullptr; };
    if (value.is_object() && value.as_object()->size() == names.size() &&
        std::ranges::all_of(names, is_there)) {
        return ok_status();
    }
    return Error::of(ErrorCode::VALIDATION_ERROR,
                     fmt::format("not an object with exactly the members {}",
                                 fmt::join(names.begin(), names.end(), ", ")));
}

Result<std::vector<Node>> read_proof(const Json& proof) {
    return Reader(proof).read();
}

}  // namespace jobforge::verify
