// What a call really read, nested statements of functions included: auto_explain's plans, as
// notices.
#pragma once

#include <string>
#include <vector>

#include <jobforge/json.h>

#include "sql_session.h"

namespace jobforge::test {

// Of one call. Rows are counted where a plan reads jobs, finished_jobs, attempt_records,
// counter_deltas, idempotency_keys or artifacts: those it used and those it threw away, in all
// loops.
struct Reading {
    double rows = 0;
    double blocks = 0;  // of these tables and their indexes: what dead rows cost, too
    std::vector<std::string> seq_scans;  // tables of the above that were read from end to end
    std::string where;                   // each node that read one of them
};

// Switches a superuser's session to explain what it runs, for good.
class PlanReader final {
public:
    explicit PlanReader(Session& session);
    PlanReader(const PlanReader&) = delete;
    PlanReader& operator=(const PlanReader&) = delete;
    ~PlanReader();

    // Runs the statement; its rows go to `rows` if that is given.
    Reading read(const std::string& statement, std::vector<TextRow>* rows = nullptr);

private:
    static void add(const std::string& notice, Reading& reading);

    Session& session_;
    std::vector<std::string> notices_;
};

}  // namespace jobforge::test
