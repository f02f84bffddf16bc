// How jobs look on a terminal and to a program. Pure.
#pragma once

#include <string>
#include <vector>

#include <jobforge/client.h>

namespace jobforge::cli {

[[nodiscard]] std::string jobs_as_table(const std::vector<JobSummary>& jobs, TimePoint now);
// One JSON array.
[[nodiscard]] std::string jobs_as_json(const std::vector<JobSummary>& jobs);
[[nodiscard]] std::string job_as_text(const JobDetails& job, TimePoint now);

}  // namespace jobforge::cli
