// What the commands over stored documents, rules and passports have in common: a connection, ids
// as arguments, waiting for jobs, and rows as people and programs read them.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/client.h>

#include "cli/command_line.h"
#include "cli/context.h"

namespace jobforge::cli {

// The actor in the events of what a command changes.
inline constexpr char kActor[] = "cli";

// Connects for the chosen tenant and runs `work`; its error is told and becomes the exit code.
using Work = std::function<Status(engine::TenantCalls&)>;
[[nodiscard]] int with_calls(const Context& context, const Work& work);
// The tenant that `calls` act for, also when the login says which.
[[nodiscard]] Result<Uuid> tenant_of(engine::TenantCalls& calls);

// Ids as they are typed. `what` names the thing ("snapshot id"), `see` the command that lists them.
// VALIDATION_ERROR.
struct IdKind {
    std::string_view what;
    std::string_view see;
};
inline constexpr IdKind kDocumentId{"document version id", "jobforge docs list"};
inline constexpr IdKind kFactId{"fact id", "jobforge facts list"};
inline constexpr IdKind kSnapshotId{"snapshot id", "jobforge snapshots list"};
inline constexpr IdKind kRulesId{"rule package version id", "jobforge rules list"};
inline constexpr IdKind kPassportId{"passport id", "jobforge passports list"};
inline constexpr IdKind kVersionId{"passport version id", "jobforge passports versions"};
[[nodiscard]] Result<Uuid> id_argument(const IdKind& kind, const std::string& text);
// nullopt for an empty text.
[[nodiscard]] Result<std::optional<Uuid>> optional_id_argument(const IdKind& kind,
                                                               const std::string& text);
[[nodiscard]] Result<std::vector<Uuid>> id_arguments(const IdKind& kind,
                                                     const std::vector<std::string>& texts);

// with_calls() for one thing that the command line names.
[[nodiscard]] int with_id(const Context& context, const IdKind& kind, const std::string& text,
                          const std::function<Status(engine::TenantCalls&, const Uuid&)>& work);

// --limit and --before of a list.
struct PageOptions {
    int limit = 50;
    std::string before;
};
void add_page_options(Command command, PageOptions& page);

// --wait and --timeout.
struct WaitOptions {
    bool wait = false;
    int timeout_seconds = 60;
};
void add_wait_options(Command command, WaitOptions& options, const std::string& until);

// How long a command still waits. Looks at the state some times a second.
class Patience final {
public:
    explicit Patience(const WaitOptions& options);
    // Pauses; false once the time is over.
    [[nodiscard]] bool another_look();

private:
    std::chrono::steady_clock::time_point deadline_;
};

// The job once it SUCCEEDED. Its own error if it ended otherwise; TIMEOUT with the reason why it
// does not run.
[[nodiscard]] Result<JobDetails> wait_for_job(Client& client, const Uuid& job_id,
                                              Patience& patience);
// The same with a client of its own, unless there is no --wait.
[[nodiscard]] Status wait_if_wanted(const Context& context, const WaitOptions& options,
                                    const Uuid& job_id);
// The error of a job that ended without success, with its name.
[[nodiscard]] Error error_of_job(const JobSummary& job);
// TIMEOUT, with what the engine says about the job.
[[nodiscard]] Error still_waiting(Client& client, const Uuid& job_id);

// Byte columns as people write them: hashes and signatures as hex, response bodies as text,
// canonical documents as JSON under the name without "_canonical".
[[nodiscard]] Json readable(const Json& row);
// Prints what a use case answered: a table of these members, or one row a line per member.
[[nodiscard]] Status show_rows(const Context& context, Result<std::vector<Json>> rows,
                               std::initializer_list<std::string_view> members);
[[nodiscard]] Status show_row(const Context& context, Result<Json> row);
// The answer of a command that made or changed something: the id for people and scripts, all
// members for --json.
void print_id(const Context& context, std::string_view member, const Uuid& id,
              const Json& more = {});
// A remark for people on standard error, so that standard output stays an id. Nothing with --json.
void remark(const Context& context, std::string_view text);

// A text member; "" if it is absent or null.
[[nodiscard]] std::string text_member(const Json& row, std::string_view member);

// A verb with options of its own.
template <typename Options>
Command add_verb(Command parent, Context& context, const std::shared_ptr<Options>& options,
                 const std::string& name, const std::string& help,
                 int (*run)(const Context&, const Options&)) {
    Command command = parent.subcommand(name, help);
    command.runs([&context, options, run] { return run(context, *options); });
    return command;
}

}  // namespace jobforge::cli
