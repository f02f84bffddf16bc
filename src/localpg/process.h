// Starting programs: privileges dropped, descriptors closed, tied to the life of their parent.
//
// fork and exec by hand, because posix_spawn can neither change the user nor set a parent-death
// signal. Safe in a process with threads: between fork and exec only system calls are made.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <jobforge/error.h>

namespace jobforge::pg {

struct SystemUser {
    std::string name;
    uid_t uid = 0;
    gid_t gid = 0;
};

struct SpawnOptions {
    std::vector<std::string> arguments;    // [0] is the program's path, or its name on the PATH
    std::vector<std::string> environment;  // "NAME=value"; nothing is inherited
    std::optional<SystemUser> user;        // become this user (the caller must be root)
    std::string directory = "/";           // working directory
    int output_fd = -1;                    // stdout; -1: /dev/null
    int error_fd = -1;                     // stderr; -1: the same as stdout
    bool new_session = false;              // keep the terminal's Ctrl-C away from it
    // Signal the child gets when the THREAD that called spawn() ends; 0: none. Call from a thread
    // that lives as long as the child should.
    int parent_death_signal = 0;
};

// Starts the program and returns once it runs. NOT_FOUND if there is no such program; the caller
// must wait for the pid.
[[nodiscard]] Result<pid_t> spawn(const SpawnOptions& options);

struct ProgramOutput {
    int exit_code = 0;  // 128 + signal number if it was killed
    std::string text;   // stdout and stderr together
};

// Runs a program to its end. TIMEOUT (and SIGKILL to the program) when it takes longer than
// `limit`. output_fd and error_fd of the options are ignored.
[[nodiscard]] Result<ProgramOutput> run_program(SpawnOptions options,
                                                std::chrono::milliseconds limit);

// Waits until the child ends and reaps it; nullopt if it still runs after `limit`. The status is
// that of waitpid. A child that was reaped elsewhere counts as ended with status 0.
[[nodiscard]] std::optional<int> wait_for_exit(pid_t pid, std::chrono::milliseconds limit);

// A descriptor that becomes readable when the process ends; -1 where the kernel has none.
[[nodiscard]] int open_pidfd(pid_t pid) noexcept;

}  // namespace jobforge::pg
