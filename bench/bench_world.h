// The database a benchmark runs on: durable, with the schema, and with raw tables beside it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "localpg/cluster.h"
#include "pg/connection.h"

namespace jobforge::bench {

inline constexpr char kTenant[] = "bbbbbbbb-0000-4000-8000-00000000be1c";
inline constexpr char kType[] = "bench.noop";

// Ends the program with a message: a benchmark that cannot measure must not print numbers.
[[noreturn]] void die(const std::string& what);

class World final {
public:
    // DATABASE_URL, or a private cluster in a temporary directory that is removed at the end.
    World();
    ~World();
    [[nodiscard]] const std::string& url() const noexcept { return url_; }
    // `prepare`: statements are prepared under their names on first use, as our client does it.
    [[nodiscard]] pg::Connection connect(bool prepare = false) const;
    // The first column of the first row, as a number.
    [[nodiscard]] std::int64_t number(const std::string& sql) const;
    [[nodiscard]] std::string text(const std::string& sql) const;
    void run(const std::string& sql) const;
    // Empties the queue and its history, and gives statistics a known state.
    void clear() const;

private:
    std::string directory_;
    std::unique_ptr<pg::PrivateCluster> cluster_;
    std::string url_;
};

// Seconds that `work` took.
[[nodiscard]] double seconds(const std::function<void()>& work);
// Runs `work(client)` on `clients` threads at once; seconds until the last one ended.
[[nodiscard]] double parallel(int clients, const std::function<void(int)>& work);

// The measurement below which this share of them lies; 0.5 is the median.
[[nodiscard]] double at_share(std::vector<double> values, double share);

// One line of the report: ours, the raw ceiling measured in the same run, and the ratio.
void report(std::string_view what, double ours, double raw, std::string_view unit = "jobs/s");

}  // namespace jobforge::bench
