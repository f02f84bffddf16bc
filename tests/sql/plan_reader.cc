#include "plan_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <set>

namespace jobforge::test {
namespace {

const std::set<std::string> kTables = {"jobs",           "finished_jobs",    "attempt_records",
                                       "counter_deltas", "idempotency_keys", "artifacts",
                                       "turns"};

double number(const Json& node, std::string_view key) {
    const Json* value = node.find(key);
    return value == nullptr ? 0 : std::stod(std::string(value->number_text().value_or("0")));
}

std::string text(const Json& node, std::string_view key) {
    const Json* value = node.find(key);
    return value == nullptr || value->as_string() == nullptr ? "" : *value->as_string();
}

void walk(const Json& node, Reading& reading) {
    const auto type = text(node, "Node Type");
    // A bitmap is made from an index, whose name begins with its table's.
    auto table = text(node, "Relation Name");
    const auto index = text(node, "Index Name");
    for (const auto& known : kTables) {
        table = table.empty() && index.starts_with(known) ? known : table;
    }
    const bool reads = type.ends_with("Scan") && kTables.contains(table);
    if (reads) {
        const double rows = (number(node, "Actual Rows") + number(node, "Rows Removed by Filter") +
                             number(node, "Rows Removed by Index Recheck")) *
                            number(node, "Actual Loops");
        const double blocks =
            number(node, "Shared Hit Blocks") + number(node, "Shared Read Blocks");
        reading.rows += rows;
        reading.blocks += blocks;
        reading.where +=
            fmt::format("  {} on {} {}: {} rows, {} blocks\n", type, table, index, rows, blocks);
        if (type == "Seq Scan") {
            reading.seq_scans.push_back(table);
        }
    }
    if (const Json* below = node.find("Plans"); below != nullptr) {
        for (const auto& plan : *below->as_array()) {
            walk(plan, reading);
        }
    }
}

}  // namespace

PlanReader::PlanReader(Session& session) : session_(session) {
    session.run(
        "load 'auto_explain'; set auto_explain.log_analyze = on; set auto_explain.log_timing = "
        "off; set auto_explain.log_buffers = on; set auto_explain.log_format = json; set "
        "auto_explain.log_nested_statements = on; set client_min_messages = log");
    PQsetNoticeReceiver(
        session.connection().native(),
        [](void* to, const PGresult* notice) {
            static_cast<std::vector<std::string>*>(to)->emplace_back(
                PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY));
        },
        &notices_);
}

PlanReader::~PlanReader() {
    PQsetNoticeReceiver(session_.connection().native(), [](void*, const PGresult*) {}, nullptr);
}

Reading PlanReader::read(const std::string& statement, std::vector<TextRow>* rows) {
    session_.run("set auto_explain.log_min_duration = 0");
    notices_.clear();
    auto answer = session_.rows(statement);
    Reading reading;
    for (const auto& notice : notices_) {
        add(notice, reading);
    }
    session_.run("set auto_explain.log_min_duration = -1");
    if (rows != nullptr) {
        *rows = std::move(answer);
    }
    return reading;
}

void PlanReader::add(const std::string& notice, Reading& reading) {
    const auto at = notice.find('{');
    if (!notice.starts_with("duration:") || at == std::string::npos) {
        return;
    }
    const auto plan = Json::parse(std::string_view(notice).substr(at));
    ASSERT_TRUE(plan.ok()) << notice;
    const Json* root = plan->find("Plan");
    ASSERT_NE(root, nullptr) << notice;
    walk(*root, reading);
}

}  // namespace jobforge::test
