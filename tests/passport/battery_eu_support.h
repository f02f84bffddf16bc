// The two packages of examples/battery-eu and their documents, ready to evaluate: battery-eu makes
// the passport, battery-checks judges the document.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "rules/check/package.h"
#include "rules/eval/evaluator.h"
#include "test_paths.h"
#include "values/document_numbers.h"

namespace jobforge::passport::battery_eu {

inline std::filesystem::path folder() {
    return std::filesystem::path(JOBFORGE_SOURCE_DIR) / "examples" / "battery-eu";
}

inline std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(file), {}};
}

inline Json read_document(const std::filesystem::path& path) {
    auto parsed = Json::parse(read_text(path));
    if (!parsed.ok()) throw std::runtime_error(path.string() + ": " + parsed.error().message);
    auto exact = with_exact_numbers(*parsed);
    if (!exact.ok()) throw std::runtime_error(path.string() + ": " + exact.error().message);
    return std::move(*exact);
}

// Documents from outside the project. Where they are not at hand, its own are judged in their
// place.
inline std::filesystem::path outside_documents() {
    const char* named = std::getenv("JOBFORGE_BATTERY_DATA");  // NOLINT(concurrency-mt-unsafe)
    return named != nullptr
               ? std::filesystem::path(named)
               : std::filesystem::path(JOBFORGE_SOURCE_DIR) / ".." / "shared" / "data" / "battery";
}

using Package = std::shared_ptr<const rules::CheckedPackage>;

inline Package check(const std::string& name) {
    auto outcome = rules::check_package(
        rules::SourceText(name + ".rules", read_text(folder() / (name + ".rules"))),
        rules::SourceText(name + ".tests", read_text(folder() / (name + ".tests"))));
    if (!outcome.ok()) {
        throw std::runtime_error(rules::render(outcome.diagnostics, outcome.sources));
    }
    return outcome.package;
}

inline const std::map<std::string, Package>& packages() {
    static const std::map<std::string, Package> checked{
        {"battery-eu", check("battery-eu")}, {"battery-checks", check("battery-checks")}};
    return checked;
}

// A row of data-points.csv: what the Commission's guidance says.
struct DataPoint {
    std::string id;  // "DP-010"
    std::string name;
    std::string source;
    std::string access;
    std::map<std::string, std::string> obligation;  // by category
};

inline std::vector<DataPoint> data_points() {
    std::istringstream lines(read_text(folder() / "data-points.csv"));
    std::string line;
    std::getline(lines, line);  // the heading
    std::vector<DataPoint> rows;
    while (std::getline(lines, line)) {
        std::istringstream cells(line);
        std::vector<std::string> row;
        for (std::string cell; std::getline(cells, cell, ';');) row.push_back(cell);
        if (row.size() != 7) throw std::runtime_error("data-points.csv: " + line);
        row[0].insert(0, 3 - row[0].size(), '0');
        rows.push_back({"DP-" + row[0],
                        row[1],
                        row[2],
                        row[3],
                        {{"ev", row[4]}, {"lmt", row[5]}, {"industrial", row[6]}}});
    }
    return rows;
}

inline rules::Fact fact(std::string type, std::string key, Json payload) {
    rules::Fact made;
    made.fact_type = std::move(type);
    made.fact_key = std::move(key);
    made.payload = std::move(payload);
    return made;
}

// Everything that can be said about one battery: its document, its footprint, adopted acts.
inline std::vector<rules::Fact> facts_of(const std::string& sku, const std::string& category,
                                         Json document) {
    std::vector<rules::Fact> facts;
    facts.push_back(fact("BatteryData", "data:" + sku, std::move(document)));
    for (const char* id : {"DP-017", "DP-018", "DP-019", "DP-044"}) {
        facts.push_back(fact("LegalAct", std::string("act:") + id + ":" + category,
                             Json::object({{"due", "2029-02-18"}, {"title", "An act"}})));
    }
    return facts;
}

struct Outcome {
    std::map<std::string, std::string> status;    // of each entry, by id
    std::map<std::string, std::string> evidence;  // by id
    std::map<std::string, std::string> fields;    // canonical value, by path

    [[nodiscard]] std::set<std::string> with_status(const std::string& wanted) const {
        std::set<std::string> ids;
        for (const auto& [id, found] : status) {
            if (found == wanted) ids.insert(id);
        }
        return ids;
    }
    // Named entries (status or evidence) and fields that differ.
    [[nodiscard]] std::set<std::string> changed_from(const Outcome& other) const {
        std::set<std::string> names;
        for (const auto& [id, found] : status) {
            if (other.status.at(id) != found || other.evidence.at(id) != evidence.at(id)) {
                names.insert(id);
            }
        }
        for (const auto& [path, value] : fields) {
            if (other.fields.at(path) != value) names.insert(path);
        }
        return names;
    }
};

inline void add_outcome(const rules::CheckedPackage& package, const rules::Inputs& inputs,
                        Outcome& outcome) {
    const auto done = rules::evaluate(package, inputs, {.with_proof = false});
    if (!done.ok()) throw std::runtime_error(done.error->render(package));
    for (const auto& entry : done.evaluation->compliance) {
        if (!outcome.status.emplace(entry.id, entry.status).second) {
            throw std::runtime_error(entry.id + " is emitted twice");
        }
        outcome.evidence.emplace(entry.id, entry.evidence);
    }
    for (const auto& [path, index] : package.field_index) {
        const std::string value = done.evaluation->values[index].canonical();
        if (const auto [at, is_new] = outcome.fields.emplace(path, value);
            !is_new && at->second != value) {
            // The passport withholds what the checks may read.
            outcome.fields.emplace(path + " (checks)", value);
        }
    }
}

// What the packages named say together. std::runtime_error with the rendered error if evaluation
// fails, or an id occurs twice.
inline Outcome evaluate(const std::vector<rules::Fact>& facts, const std::string& sku,
                        const std::string& issued_on,
                        const std::vector<std::string>& names = {"battery-eu", "battery-checks"}) {
    auto set = rules::FactSet::make(facts);
    if (!set.ok()) throw std::runtime_error(set.error().message);
    const rules::Inputs inputs{std::move(*set), sku, "Test", *Date::parse(issued_on)};
    Outcome outcome;
    for (const std::string& name : names) add_outcome(*packages().at(name), inputs, outcome);
    return outcome;
}

}  // namespace jobforge::passport::battery_eu
