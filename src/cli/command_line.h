// The command line: commands, their options, and what to do for the one that was asked for.
//
// CLI11 does the work behind it, and only command_line.cc sees it: its templates take ten seconds
// and more of every file that includes it, and there is one such file per command.
//
// Ownership: CommandLine owns everything. Command and Option are handles into it, as cheap to copy
// as pointers, and valid as long as it lives. An option writes into a variable of its command while
// parse() runs; a command keeps its variables in a std::shared_ptr that its action holds:
//
//     Command jobs = root.group("jobs", "Look at jobs and change them");
//     Command list = jobs.subcommand("list", "Jobs, newest first");
//     auto options = std::make_shared<ListOptions>();
//     list.option("--limit", options->limit, "At most this many").in_range(1, 1000);
//     list.runs([&context, options] { return run_list(context, *options); });
//
// Threads: one. Failures: what a person typed is told by parse(). A declaration that makes no sense
// (the same name twice) is a mistake of the program and throws while commands are declared, so
// every test that runs any command finds it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <jobforge/error.h>

namespace CLI {  // NOLINT(readability-identifier-naming): theirs
class App;
class Option;
}  // namespace CLI

namespace jobforge::cli {

// An option, a flag or a positional argument that is being declared.
class Option final {
public:
    explicit Option(CLI::Option& option) : option_(&option) {}

    Option required();
    // How many values one occurrence takes.
    Option expected(int count);
    Option expected(int least, int most);
    // One value an occurrence, so that a positional argument may follow: --fact A --fact B FILE.
    // Otherwise an option of many values takes all that follow.
    Option one_at_a_time();
    // A number from `least` to `most`, both included.
    Option in_range(int least, int most);
    // The help shows the value the variable has now.
    Option shows_default();
    // Without the option, this environment variable gives the value.
    Option env(const std::string& name);

private:
    CLI::Option* option_;
};

// What a command line that was understood asks for.
using Action = std::function<int()>;

// A command, or the program itself, that is being declared.
class Command final {
public:
    // `chosen` is where the action goes once the command line names this command.
    Command(CLI::App& app, Action& chosen) : app_(&app), chosen_(&chosen) {}

    // A command below this one. Options of those above it may also stand behind its name.
    [[nodiscard]] Command subcommand(const std::string& name, const std::string& help);
    // The same for a command that does nothing itself: exactly one of those below it must follow.
    [[nodiscard]] Command group(const std::string& name, const std::string& help);

    // An option ("--name", "-n,--name") or, without dashes, a positional argument. A variable that
    // is not a std::optional keeps its value if the option is not given; a std::vector makes the
    // option repeatable.
    Option option(const std::string& names, std::string& value, const std::string& help);
    Option option(const std::string& names, std::optional<std::string>& value,
                  const std::string& help);
    Option option(const std::string& names, std::vector<std::string>& values,
                  const std::string& help);
    Option option(const std::string& names, int& value, const std::string& help);
    Option option(const std::string& names, std::optional<int>& value, const std::string& help);
    Option option(const std::string& names, std::int64_t& value, const std::string& help);
    Option option(const std::string& names, std::uint64_t& value, const std::string& help);
    // True if it is given.
    Option flag(const std::string& names, bool& given, const std::string& help);

    // What parse() answers when the command line names this command. Nothing runs before the whole
    // line is read.
    void runs(Action action);

private:
    CLI::App* app_;
    Action* chosen_;
};

// Either something to do, or a text for standard output: --help and --version are not failures.
struct Request {
    Action action;
    std::string text;
};

class CommandLine final {
public:
    // The footer stands below the help of every command.
    CommandLine(const std::string& program, const std::string& purpose, const std::string& footer);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    // The program, which is a group.
    [[nodiscard]] Command root();
    // What --version says.
    void version(const std::string& text);

    // Reads a command line into the declared variables. usage_error() with one line for the
    // person who typed it: the nearest known word, and which help to read.
    [[nodiscard]] Result<Request> parse(int argc, const char* const* argv);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace jobforge::cli
