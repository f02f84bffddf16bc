#include "cli/command_line.h"

#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace jobforge::cli {

namespace {

// The first word that is no command where one is needed; empty if there is none. CLI11 only says
// that a subcommand is missing.
std::string unknown_command(const CLI::App& program, int argc, const char* const* argv) {
    const CLI::App* current = &program;
    for (int i = 1; i < argc && current->get_require_subcommand_min() > 0; ++i) {
        const std::string word = argv[i];
        if (word.starts_with("-")) {
            const CLI::Option* option = program.get_option_no_throw(word);
            i += option != nullptr && option->get_items_expected_min() > 0 ? 1 : 0;
            continue;
        }
        const auto found = current->get_subcommands(
            [&word](const CLI::App* command) { return command->get_name() == word; });
        if (found.empty()) {
            return word;
        }
        current = found.front();
    }
    return {};
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
        const std::string unknown = unknown_command(app, argc, argv);
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         unknown.empty() ? std::string(error.what())
                                         : fmt::format("there is no command \"{}\"", unknown));
    }
    return Request{state_->chosen, {}};
}

}  // namespace jobforge::cli
