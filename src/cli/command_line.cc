#include "cli/command_line.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/usage.h"
#include "rules/syntax/nearest.h"

namespace jobforge::cli {

namespace {

// How far a command line can be followed: the command that its words name, and the first word that
// is not a command where one is needed.
struct Path {
    const CLI::App* command;
    std::string name;
    std::string unknown;
};

Path follow(const CLI::App& program, int argc, const char* const* argv) {
    Path path{&program, program.get_name(), {}};
    for (int i = 1; i < argc && path.command->get_require_subcommand_min() > 0; ++i) {
        const std::string word = argv[i];
        if (word.starts_with("-")) {
            const CLI::Option* option = program.get_option_no_throw(word);
            i += option != nullptr && option->get_items_expected_min() > 0 ? 1 : 0;
            continue;
        }
        const auto found = path.command->get_subcommands(
            [&word](const CLI::App* command) { return command->get_name() == word; });
        if (found.empty()) {
            path.unknown = word;
            return path;
        }
        path.command = found.front();
        path.name += " " + word;
    }
    return path;
}

// "; did you mean X?", or nothing.
std::string guess(const std::string& wrong, const std::vector<std::string>& known) {
    const std::vector<std::string_view> names(known.begin(), known.end());
    const auto nearest = rules::nearest_names(wrong, names, 1);
    return nearest.empty() ? std::string() : fmt::format("; did you mean {}?", nearest.front());
}

std::vector<std::string> commands_of(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(below->get_name());
    }
    return names;
}

// The options of a command and of those above it, as they are typed.
std::vector<std::string> options_of(const CLI::App* command) {
    std::vector<std::string> names;
    for (; command != nullptr; command = command->get_parent()) {
        for (const CLI::Option* option :
             command->get_options([](const CLI::Option* one) { return one->nonpositional(); })) {
            for (const std::string& name : option->get_lnames()) {
                names.push_back("--" + name);
            }
            for (const std::string& name : option->get_snames()) {
                names.push_back("-" + name);
            }
        }
    }
    return names;
}

// The first word that looks like an option and is none of this command; empty if there is none.
std::string unknown_option(const std::vector<std::string>& known, int argc,
                           const char* const* argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::string name = word.substr(0, word.find('='));
        if (name == "--") {
            break;
        }
        if (name.starts_with("--") && std::ranges::find(known, name) == known.end()) {
            return name;
        }
    }
    return {};
}

// What is wrong with a command line that CLI11 does not take, for the person who typed it.
std::string fault_of(const Path& path, const CLI::ParseError& error, int argc,
                     const char* const* argv) {
    if (!path.unknown.empty()) {
        return fmt::format("there is no command \"{}\"{}", path.unknown,
                           guess(path.unknown, commands_of(*path.command)));
    }
    const std::vector<std::string> known = options_of(path.command);
    if (const std::string option = unknown_option(known, argc, argv); !option.empty()) {
        return fmt::format("there is no option {}{}", option, guess(option, known));
    }
    if (path.command->get_require_subcommand_min() > 0 &&
        dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
        // The program itself has too many for one line; its help groups them.
        return path.command->get_parent() == nullptr
                   ? path.name + " needs a command"
                   : fmt::format("{} needs a command: {}", path.name,
                                 fmt::join(commands_of(*path.command), ", "));
    }
    return error.what();
}

// What CLI11 itself would print for --help and --version.
std::string text_of(const CLI::App& program, const CLI::Success& wish) {
    std::ostringstream out;
    static_cast<void>(program.exit(wish, out, out));
    return out.str();
}

}  // namespace

Option Option::required() {
    option_->required();
    return *this;
}

Option Option::expected(int count) {
    option_->expected(count);
    return *this;
}

Option Option::expected(int least, int most) {
    option_->expected(least, most);
    return *this;
}

Option Option::one_at_a_time() {
    option_->allow_extra_args(false);
    return *this;
}

Option Option::in_range(int least, int most) {
    option_->check(CLI::Range(least, most));
    return *this;
}

Option Option::shows_default() {
    option_->capture_default_str();
    return *this;
}

Option Option::env(const std::string& name) {
    option_->envname(name);
    return *this;
}

Command Command::subcommand(const std::string& name, const std::string& help) {
    return Command(*app_->add_subcommand(name, help), *chosen_);
}

Command Command::group(const std::string& name, const std::string& help) {
    CLI::App* added = app_->add_subcommand(name, help);
    added->require_subcommand(1);
    return Command(*added, *chosen_);
}

Option Command::option(const std::string& names, std::string& value, const std::string& help) {
    return Option(*app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, std::optional<std::string>& value,
                       const std::string& help) {
    return Option(*app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, std::vector<std::string>& values,
                       const std::string& help) {
    return Option(*app_->add_option(names, values, help));
}

Option Command::option(const std::string& names, int& value, const std::string& help) {
    return Option(*app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, std::optional<int>& value,
                       const std::string& help) {
    return Option(*app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, std::int64_t& value, const std::string& help) {
    return Option(*app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, std::uint64_t& value, const std::string& help) {
    return Option(*app_->add_option(names, value, help));
}

Option Command::flag(const std::string& names, bool& given, const std::string& help) {
    return Option(*app_->add_flag(names, given, help));
}

void Command::runs(Action action) {
    app_->callback([chosen = chosen_, action = std::move(action)] { *chosen = action; });
}

struct CommandLine::State {
    State(const std::string& program, const std::string& purpose) : app(purpose, program) {}

    CLI::App app;
    Action chosen;
};

CommandLine::CommandLine(const std::string& program, const std::string& purpose,
                         const std::string& footer)
    : state_(std::make_unique<State>(program, purpose)) {
    CLI::App& app = state_->app;
    app.require_subcommand(1);
    // Commands inherit these when they are added.
    app.fallthrough();
    app.footer(footer);
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() {
    return Command(state_->app, state_->chosen);
}

void CommandLine::version(const std::string& text) {
    state_->app.set_version_flag("--version", text);
}

Result<Request> CommandLine::parse(int argc, const char* const* argv) {
    CLI::App& app = state_->app;
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& wish) {
        return Request{{}, text_of(app, wish)};
    } catch (const CLI::ParseError& error) {
        const Path path = follow(app, argc, argv);
        return usage_error(fault_of(path, error, argc, argv),
                           fmt::format("See: {} --help", path.name));
    }
    return Request{state_->chosen, {}};
}

}  // namespace jobforge::cli
