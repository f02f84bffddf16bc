// Hole 14 of the attack on tenants: with keys in memory, the program is not for others to
// read. What it starts is as usual.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "child_process.h"
#include "temp_dir.h"
#include "test_paths.h"

namespace jobforge::test {
namespace {

constexpr uid_t kNobody = 65534;
constexpr char kKey[] = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

// The kernel gives the files of a process whose memory is private to root. That shows only in a
// process of another user, so the program runs as one where the tests are root.
class PrivateMemory : public testing::Test {
protected:
    PrivateMemory() {
        std::filesystem::copy_file(JOBFORGE_PROGRAM, program_);  // where that user can reach it
        if (::geteuid() == 0) {
            EXPECT_EQ(::chown(home_.path().c_str(), kNobody, kNobody), 0);
        }
    }
    // Starts everything, with a Postgres of its own.
    void start(const std::string& environment, const std::string& allow_debugger = "") {
        std::vector<std::string> arguments;
        if (::geteuid() == 0) {
            arguments = {"setpriv", fmt::format("--reuid={}", kNobody),
                         fmt::format("--regid={}", kNobody), "--clear-groups"};
        }
        arguments.insert(arguments.end(), {program_, "up"});
        process_ = std::make_unique<ChildProcess>(
            arguments,
            std::map<std::string, std::string>{{"BPC_ENV", environment},
                                               {"JOBFORGE_ALLOW_DEBUGGER", allow_debugger},
                                               {"DATABASE_URL", ""},
                                               {"JOBFORGE_DATA", home_.path() + "/data"},
                                               {"BPC_API_KEY_PEPPER_BASE64", kKey},
                                               {"JOBFORGE_MASTER_KEY_BASE64", kKey},
                                               {"BPC_SIGNING_ED25519_PRIVATE_KEY_BASE64", kKey}});
        ASSERT_TRUE(process_->wait_for_output("jobforge is up", kProgramPatience))
            << process_->output() << process_->error_output();
    }
    void stop() {
        process_->send_signal(SIGTERM);
        EXPECT_EQ(process_->wait(kProgramPatience), 0) << process_->error_output();
    }
    static uid_t owner_of_environment(pid_t pid) {
        struct stat found{};
        EXPECT_EQ(::stat(fmt::format("/proc/{}/environ", pid).c_str(), &found), 0);
        return found.st_uid;
    }
    static uid_t user() { return ::geteuid() == 0 ? kNobody : ::geteuid(); }
    pid_t postgres() const {
        pid_t pid = 0;
        std::ifstream(home_.path() + "/data/pgdata/postmaster.pid") >> pid;
        return pid;
    }

    TempDir home_;
    const std::string program_ = home_.path() + "/jobforge";
    std::unique_ptr<ChildProcess> process_;
};

TEST_F(PrivateMemory, in_prod_no_other_process_of_its_user_can_read_it) {
    start("prod");
    EXPECT_EQ(owner_of_environment(process_->pid()), 0U);
    ASSERT_GT(postgres(), 0);
    EXPECT_EQ(owner_of_environment(postgres()), user()) << "what it starts is as usual";
    stop();
}

TEST_F(PrivateMemory, in_dev_the_same_unless_a_debugger_is_allowed) {
    start("dev");
    EXPECT_EQ(owner_of_environment(process_->pid()), 0U);
    stop();
    start("dev", "true");
    EXPECT_EQ(owner_of_environment(process_->pid()), user());
    stop();
}

}  // namespace
}  // namespace jobforge::test
