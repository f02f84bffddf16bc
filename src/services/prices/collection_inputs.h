// What a COLLECT_PRICES job works with, read in one statement before anything is asked.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <jobforge/job.h>

#include "prices/intake.h"
#include "prices/keyword_rules.h"
#include "services/jobs/tenant_reads.h"

namespace jobforge::services {

struct CollectionInputs {
    Uuid intake_id, source_id;
    std::string name, adapter, base_url;  // of the source
    bool enabled = true;
    Json config;
    std::string allowed_path;
    KeywordRules rules;  // the source's and the intake's
    Intake intake;
    Json progress;                 // of a job that was snoozed between pages; null: none
    std::chrono::sys_seconds now;  // the database's clock

    // JOB_PAYLOAD_INVALID, NOT_FOUND (intake or source), or as the database.
    [[nodiscard]] static Result<CollectionInputs> read(TenantReads& reads, const Job& job);
};

}  // namespace jobforge::services
