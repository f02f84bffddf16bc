#include "api_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <regex>

#include "http_client.h"

namespace jobforge::bench {

namespace {

std::string read_file(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string must_find(const std::string& text, const char* pattern) {
    std::smatch found;
    if (!std::regex_search(text, found, std::regex(pattern))) {
        die(fmt::format("no {} in: {}", pattern, text));
    }
    return found[1];
}

ApiProgram::ApiProgram(const World& world) {
    std::string name = "/tmp/jobforge-api-bench-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
        die("cannot make a temporary directory");
    }
    directory_ = name;
    environment_ = {{"DATABASE_URL", world.url()},
                    {"JOBFORGE_DATA", directory_},
                    {"JOBFORGE_TENANT", kTenant},
                    {"BPC_HTTP_PORT", "0"}};
    const test::Finished made = test::run(
        {JOBFORGE_PROGRAM, "keys", "create", "bench", "--role", "Admin", "--json"}, environment_);
    key_ = must_find(made.output + made.error_output, "(jf_[a-z0-9_]+)");
    // A session of its own, as a service manager gives it: kernels that share the processors by
    // session would give it and wrk together what each server process of Postgres has for itself.
    process_ = std::make_unique<test::ChildProcess>(
        std::vector<std::string>{"setsid", JOBFORGE_PROGRAM, "api"}, environment_);
    if (!process_->wait_for_output("\"api started\"")) {
        die(process_->error_output());
    }
    port_ = std::stoi(must_find(process_->error_output(), "\"url\":\"http://[0-9.]+:([0-9]+)"));
    const std::string body = fmt::format(R"({{"type":"{}"}})", kType);
    test::HttpConnection connection(port_);
    connection.send(
        fmt::format("POST /v1/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n"
                    "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                    key_, body.size(), body));
    job_id_ = must_find(connection.receive_one().body, "\"job_id\":\"([0-9a-f-]+)\"");
}

ApiProgram::~ApiProgram() {
    process_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

std::string ApiProgram::url() const {
    return fmt::format("http://127.0.0.1:{}", port_);
}

std::string ApiProgram::file(const std::string& name, const std::string& text) const {
    const std::string path = directory_ + "/" + name;
    std::ofstream(path) << text;
    return path;
}

double ApiProgram::peak_megabytes() const {
    const std::string status = read_file(fmt::format("/proc/{}/status", process_->pid()));
    return std::stod(must_find(status, "VmHWM:\\s+([0-9]+) kB")) / 1000;
}

double ApiProgram::cpu_seconds() const {
    // Fields 14 and 15, counted behind the name in parentheses: user and system ticks.
    const std::string stat = read_file(fmt::format("/proc/{}/stat", process_->pid()));
    std::smatch found;
    const std::regex ticks(R"(\) \S( \S+){10} (\d+) (\d+))");
    if (!std::regex_search(stat, found, ticks)) {
        die("cannot read the program's processor time");
    }
    return (std::stod(found[2]) + std::stod(found[3])) /
           static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace jobforge::bench
