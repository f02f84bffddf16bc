// Clients that behave: each looks at a job and enqueues one in turn, at a rate, and checks the
// answers. What they waited for each is kept.
#pragma once

#include <string>
#include <vector>

namespace jobforge::bench {

struct HealthyPlan {
    int port = 0;
    std::string key;
    std::string job_id;
    int clients = 4;
    int requests_per_second = 100;  // of all together, however long answers take
    int seconds = 20;
};

// The milliseconds of every request, counted from when it was due: who is late because the one
// before took long has waited too. Ends the benchmark at a wrong answer.
[[nodiscard]] std::vector<double> ask_healthily(const HealthyPlan& plan);

}  // namespace jobforge::bench
