#include "attackers.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api_program.h"
#include "bench_world.h"
#include "http_attack.h"
#include "wait_until.h"

namespace jobforge::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr char kPort[] = "JOBFORGE_BENCH_ATTACK_PORT";
constexpr char kKey[] = "JOBFORGE_BENCH_ATTACK_KEY";
constexpr std::string_view kUnderWay = "under way";

// Behind everybody else: among its own session, and with its session if the kernel groups
// processes by session (then a process's own priority counts only inside of its group).
void stand_back() {
    constexpr int kLowest = 19;
    (void)::setpriority(PRIO_PROCESS, 0, kLowest);
    std::ofstream("/proc/self/autogroup") << kLowest;
}

}  // namespace

Attackers::Attackers(int port, const std::string& uploader)
    : process_(std::make_unique<test::ChildProcess>(
          std::vector<std::string>{"setsid", std::filesystem::read_symlink("/proc/self/exe")},
          std::map<std::string, std::string>{{kPort, std::to_string(port)}, {kKey, uploader}})) {
    if (!process_->wait_for_output(kUnderWay)) {
        die("the attack did not begin: " + process_->error_output());
    }
}

Attackers::~Attackers() = default;

AttackReport Attackers::finish() {
    process_->send_signal(SIGTERM);
    if (process_->wait(std::chrono::minutes(1)) != 0) {
        die("the attack failed: " + process_->error_output());
    }
    const std::string told = process_->output();
    return {std::stoi(must_find(told, "malformed ([0-9]+)")),
            std::stoi(must_find(told, "heavy ([0-9]+)")),
            std::stod(must_find(told, "seconds ([0-9.]+)"))};
}

bool Attackers::is_attacker() {
    return std::getenv(kPort) != nullptr;
}

int Attackers::main() {
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    (void)pthread_sigmask(SIG_BLOCK, &end, nullptr);  // before the threads, which inherit it
    stand_back();
    const test::HttpAttackOptions options{.port = std::atoi(std::getenv(kPort)),
                                          .uploader = std::getenv(kKey)};
    const auto begun = Clock::now();
    const test::HttpAttack attack(options);
    if (!test::wait_until([&] { return attack.slow() == options.slow_connections; })) {
        die("the server does not take the slow connections");
    }
    fmt::print("{}\n", kUnderWay);
    std::fflush(stdout);
    int signal = 0;
    (void)sigwait(&end, &signal);
    fmt::print("malformed {} heavy {} seconds {}\n", attack.malformed(), attack.rounds(),
               std::chrono::duration<double>(Clock::now() - begun).count());
    return 0;
}

}  // namespace jobforge::bench
