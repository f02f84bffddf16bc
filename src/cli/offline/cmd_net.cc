// jobforge net check URL
#include <map>
#include <memory>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/view/output.h"
#include "connect/guard/idna.h"
#include "connect/guard/judged_addresses.h"

namespace jobforge::cli {

namespace {

using Answers = std::map<std::string, std::vector<connect::IpAddress>>;

constexpr int kBlocked = 3;  // docs/cli.md
constexpr std::chrono::seconds kLongestLookup{10};

struct NetCheck {
    std::string url;
    std::vector<std::string> fixed;  // NAME=ADDRESS
};

// The name as a look-up will ask for it: lower case, international names in their ASCII form.
std::string asked_name(std::string text) {
    if (connect::has_non_ascii(text)) {
        return connect::idna_ascii(text).value_or(text);
    }
    for (char& c : text) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

Result<Answers> fixed_answers(const std::vector<std::string>& fixed) {
    Answers answers;
    for (const std::string& text : fixed) {
        const std::size_t equals = text.find('=');
        const auto address = equals == std::string::npos || equals == 0
                                 ? std::nullopt
                                 : connect::IpAddress::parse(text.substr(equals + 1));
        if (!address) {
            return Error::of(
                ErrorCode::CONFIG_MISSING,
                fmt::format("--resolve {}: write NAME=ADDRESS, or '*=ADDRESS' for every name",
                            text));
        }
        answers[asked_name(text.substr(0, equals))].push_back(*address);
    }
    return answers;
}

// The names that were fixed; others are looked up as a delivery would.
connect::Resolver resolver_for(const Answers& answers) {
    const bool every_name = answers.contains("*");
    return [answers, every_name, fixed = connect::fixed_resolver(answers),
            machine = connect::system_resolver()](const connect::NameQuery& query) {
        return every_name || answers.contains(query.host) ? fixed(query) : machine(query);
    };
}

int tell_blocked(const Context& context, const NetCheck& command, const Error& why) {
    if (context.json) {
        auto details = Json::parse(why.details);
        print_line(Json::object({{"url", command.url},
                                 {"allowed", false},
                                 {"message", why.message},
                                 {"details", details.ok() ? *details : Json()}})
                       .dump());
    } else {
        print_line(fmt::format("blocked: {}", why.message));
    }
    return kBlocked;
}

int tell_allowed(const Context& context, const NetCheck& command, const connect::CheckedUrl& url,
                 const std::vector<connect::IpAddress>& addresses) {
    Json list = Json::array({});
    std::string texts;
    for (const connect::IpAddress& address : addresses) {
        list.push_back(address.text());
        texts += (texts.empty() ? "" : ", ") + address.text();
    }
    if (context.json) {
        print_line(Json::object({{"url", command.url},
                                 {"allowed", true},
                                 {"origin", url.origin()},
                                 {"addresses", list}})
                       .dump());
    } else {
        print_line(fmt::format("allowed: {} at {}", url.origin(), texts));
    }
    return kOk;
}

int run_check(const Context& context, const NetCheck& command) {
    auto answers = fixed_answers(command.fixed);
    if (!answers.ok()) {
        return context.fail(answers.error());
    }
    const auto url = connect::check_url(command.url);
    if (!url.ok()) {
        return tell_blocked(context, command, url.error());
    }
    const auto addresses = connect::judged_addresses(
        *url, connect::AddressGuard(context.config.allowed_networks),
        resolver_for(*std::move(answers)),
        {.host = {}, .deadline = std::chrono::steady_clock::now() + kLongestLookup});
    if (addresses.ok()) {
        return tell_allowed(context, command, *url, *addresses);
    }
    return addresses.error().code == ErrorCode::SSRF_BLOCKED
               ? tell_blocked(context, command, addresses.error())
               : context.fail(addresses.error());
}

}  // namespace

void add_net(Command program, Context& context) {
    Command net = program.group("net", "What the guard of outgoing calls says");
    Command check =
        net.subcommand("check", "Whether a URL may be reached, and why not, without connecting");
    auto command = std::make_shared<NetCheck>();
    check.option("URL", command->url, "http or https").required();
    check
        .option("--resolve", command->fixed,
                "NAME=ADDRESS instead of looking the name up; *=ADDRESS for every name")
        .one_at_a_time();
    check.runs([&context, command] { return run_check(context, *command); });
}

}  // namespace jobforge::cli
