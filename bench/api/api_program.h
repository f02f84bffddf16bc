// `jobforge api` as a process on the benchmark's database, with a tenant's key and one job.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "bench_world.h"
#include "child_process.h"

namespace jobforge::bench {

class ApiProgram final {
public:
    explicit ApiProgram(const World& world);
    ~ApiProgram();  // ends the process; its directory goes too
    ApiProgram(const ApiProgram&) = delete;
    ApiProgram& operator=(const ApiProgram&) = delete;

    [[nodiscard]] std::string url() const;
    [[nodiscard]] int port() const noexcept { return port_; }
    [[nodiscard]] const std::string& key() const noexcept { return key_; }
    [[nodiscard]] std::string key_id() const { return key_.substr(key_.size() - 69, 16); }
    [[nodiscard]] const std::string& job_id() const noexcept { return job_id_; }
    // A file of that name and text in the program's directory; its path.
    [[nodiscard]] std::string file(const std::string& name, const std::string& text) const;

    [[nodiscard]] bool running() { return process_->running(); }
    [[nodiscard]] double peak_megabytes() const;  // the most memory it has had
    [[nodiscard]] double cpu_seconds() const;     // of all its threads so far

private:
    std::string directory_;
    std::map<std::string, std::string> environment_;
    std::unique_ptr<test::ChildProcess> process_;
    int port_ = 0;
    std::string key_;
    std::string job_id_;
};

// The first group of the pattern in the text; the benchmark ends if it is not there.
[[nodiscard]] std::string must_find(const std::string& text, const char* pattern);

}  // namespace jobforge::bench
