#include "rules/eval/explain.h"

#include <set>

#include <fmt/format.h>

#include "base/text/utf8.h"
#include "base/text/visible_text.h"
#include "rules/eval/eval_machine.h"
#include "rules/eval/explain_origin.h"

namespace jobforge::rules {
namespace {

using Id = std::uint32_t;

constexpr std::size_t kLongestValue = 100;
constexpr std::size_t kMostChildren = 30;  // of one node; the rest is counted
constexpr int kDeepest = 60;               // deeper steps are left to explaining the field itself

class Explainer final {
public:
    Explainer(const CheckedPackage& package, const Inputs& inputs, const Proof& proof)
        : package_(package), inputs_(inputs), proof_(proof) {}

    [[nodiscard]] std::string tree(Id root) {
        out_ += line_of(root) + "\n";
        children_of(root, "", 0);
        return std::move(out_);
    }

    [[nodiscard]] Json nodes(Id root) {
        Json list = Json::array();
        std::set<Id> reachable{root};
        // Children have smaller ids: walking down from the root meets parents first.
        for (auto at = reachable.rbegin(); at != reachable.rend(); ++at) {
            for (const Id child : proof_.nodes[*at].children) {
                reachable.insert(child);
            }
        }
        for (const Id id : reachable) {
            list.push_back(node_json(id));
        }
        return list;
    }

private:
    void children_of(Id id, const std::string& indent, int depth) {
        const ProofNode& node = proof_.nodes[id];
        if (origin_of(proof_, id) && node.kind != ProofNodeKind::field) {
            return;
        }
        if (!shown_.insert(id).second) {
            return;
        }
        const std::vector<Id> children = interesting(node);
        if (children.empty()) {
            return;
        }
        if (depth >= kDeepest) {
            out_ += indent + "`- ... deeper: explain the field named above it\n";
            return;
        }
        for (std::size_t i = 0; i < children.size(); ++i) {
            const bool last = i + 1 == children.size() || i + 1 == kMostChildren;
            const bool seen = shown_.contains(children[i]);
            out_ += fmt::format("{}{}{}{}\n", indent, last ? "`- " : "|- ", line_of(children[i]),
                                seen ? "  (see above)" : "");
            const std::string deeper = indent + (last ? "   " : "|  ");
            if (!seen) {
                children_of(children[i], deeper, depth + 1);
            }
            if (last && i + 1 < children.size()) {
                out_ += fmt::format("{}   ... and {} more\n", indent, children.size() - i - 1);
                return;
            }
        }
    }

    // Names, scales and units stand in the line of their parent already.
    [[nodiscard]] std::vector<Id> interesting(const ProofNode& node) const {
        std::vector<Id> children;
        for (const Id child : node.children) {
            if (proof_.nodes[child].kind != ProofNodeKind::constant) {
                children.push_back(child);
            }
        }
        return children;
    }

    // On one line, whatever facts and rules hold.
    [[nodiscard]] std::string line_of(Id id) const { return visible_text(raw_line_of(id)); }

    [[nodiscard]] std::string raw_line_of(Id id) const {
        const ProofNode& node = proof_.nodes[id];
        const Json data = node_data(node);
        switch (node.kind) {
            case ProofNodeKind::constant:
                return display(node.value);
            case ProofNodeKind::field:
                return field_line(*data.find("field")->as_string(), node.value);
            case ProofNodeKind::assertion:
                return fmt::format("assert {} holds", *data.find("code")->as_string());
            case ProofNodeKind::compliance:
                return fmt::format("compliance {} {}: {}", *data.find("id")->as_string(),
                                   *data.find("status")->as_string(),
                                   *data.find("evidence")->as_string());
            case ProofNodeKind::fact_get:
                return fact_line(data);
            case ProofNodeKind::operation:
                break;
        }
        if (const auto origin = origin_of(proof_, id)) {
            return fmt::format("{}  <- {}", display(node.value), origin_text(*origin));
        }
        return fmt::format("{} = {}", display(node.value), formula(node, data));
    }

    [[nodiscard]] std::string field_line(const std::string& path, const Value& value) const {
        const FieldDeclaration& field = package_.fields[package_.field_index.at(path)];
        return fmt::format("field {} = {}  ({}:{})", path, display(value),
                           package_.sources[field.span.source].name(),
                           package_.position(field.span).line);
    }

    [[nodiscard]] std::string fact_line(const Json& data) const {
        const std::string& type = *data.find("fact_type")->as_string();
        const std::string& key = *data.find("fact_key")->as_string();
        if (data.find("payload_hash")->is_null()) {
            return fmt::format("there is no fact {} \"{}\"", type, key);
        }
        return fmt::format("fact {}", origin_text({type, key, {}}));
    }

    [[nodiscard]] std::string origin_text(const Origin& origin) const {
        const Fact* fact = inputs_.facts.find(origin.fact_type, origin.fact_key);
        return fmt::format("{} \"{}\"{}{} in {}", origin.fact_type, origin.fact_key,
                           origin.pointer.empty() ? "" : " at ", origin.pointer,
                           fact != nullptr ? fact->document() : "a document");
    }

    // "a / b", "toQty("kWh", a)": constants as they are, everything else by its value.
    [[nodiscard]] std::string formula(const ProofNode& node, const Json& data) const {
        const std::string& op = *data.find("op")->as_string();
        std::vector<std::string> words;
        for (std::size_t i = 0; i < node.children.size() && i < 4; ++i) {
            words.push_back(display(proof_.nodes[node.children[i]].value));
        }
        if (op == "product" || op == "issued_on") {
            return op;
        }
        if (op == "if") {
            return fmt::format("if {} then", words[0]);
        }
        if (op == "neg" || op == "!") {
            return (op == "neg" ? "-" : "!") + words[0];
        }
        const bool is_symbol = !std::isalpha(static_cast<unsigned char>(op[0]));
        if (is_symbol && words.size() == 2) {
            return fmt::format("{} {} {}", words[0], op, words[1]);
        }
        if (is_symbol) {
            return fmt::format("{} {} ...", words[0], op);
        }
        const bool is_list = op == "list" || op == "map" || op == "filter" || op == "fold" ||
                             op == "any" || op == "all" || op == "getFactsByPrefix";
        if (is_list) {
            return fmt::format("{} of {}", op, node.children.size() - (op != "list"));
        }
        return fmt::format("{}({})", op, fmt::join(words, ", "));
    }

    [[nodiscard]] Json node_json(Id id) const {
        const ProofNode& node = proof_.nodes[id];
        Json children = Json::array();
        for (const Id child : node.children) {
            children.push_back(child);
        }
        Json json = Json::object({{"children", std::move(children)},
                                  {"data", node_data(node)},
                                  {"id", id},
                                  {"kind", to_string(node.kind)},
                                  {"text", line_of(id)}});
        if (const auto origin = origin_of(proof_, id)) {
            const Fact* fact = inputs_.facts.find(origin->fact_type, origin->fact_key);
            json.set("origin", Json::object({{"document", fact != nullptr ? fact->document() : ""},
                                             {"fact_key", origin->fact_key},
                                             {"fact_type", origin->fact_type},
                                             {"pointer", origin->pointer}}));
        }
        return json;
    }

    const CheckedPackage& package_;
    const Inputs& inputs_;
    const Proof& proof_;
    std::set<Id> shown_;
    std::string out_;
};

}  // namespace

ExplainOutcome explain(const CheckedPackage& package, const Inputs& inputs, std::size_t field) {
    ExplainOutcome outcome;
    EvaluateOptions options;
    options.any_status = true;  // also of passports from before the set was closed
    Machine machine(package, inputs, options);
    const MaybeStep step = machine.field(field);
    if (!step) {
        outcome.error = std::move(machine).take_error();
        return outcome;
    }
    const Proof proof = std::move(machine).unfinished_proof();
    outcome.tree = Explainer(package, inputs, proof).tree(step->node);
    auto value = Json::parse(step->value.canonical());
    outcome.json = Json::object({{"field", package.fields[field].path.text},
                                 {"nodes", Explainer(package, inputs, proof).nodes(step->node)},
                                 {"root", step->node},
                                 {"value", value.ok() ? std::move(*value) : Json()}});
    return outcome;
}

std::string display(const Value& value) {
    std::string text;
    switch (value.kind()) {
        case Value::Kind::none:
            return "none";
        case Value::Kind::quantity:
            return fmt::format("{} {}", value.quantity().value.text(),
                               unit_name(*value.quantity().unit));
        case Value::Kind::decimal:
            return value.decimal().text();
        case Value::Kind::date:
            return value.date().text();
        default:
            text = value.canonical();
    }
    if (text.size() <= kLongestValue) {
        return text;
    }
    std::size_t end = kLongestValue;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
        --end;
    }
    return text.substr(0, end) + "...";
}

}  // namespace jobforge::rules
