// jobforge stats
#include "cli/commands/commands.h"
#include "cli/view/output.h"

namespace jobforge::cli {

namespace {

std::string stats_table(const std::vector<TypeStats>& stats, TimePoint now) {
    Table table({"TYPE", "QUEUED", "DUE", "RUNNING", "OLDEST DUE", "ENQUEUED", "SUCCEEDED",
                 "FAILED", "CANCELLED", "DEAD LETTER", "LEFT"});
    for (const TypeStats& one : stats) {
        table.add({one.type, std::to_string(one.queued), std::to_string(one.due),
                   std::to_string(one.running), age_cell(one.oldest_due_at, now),
                   std::to_string(one.enqueued), std::to_string(one.succeeded),
                   std::to_string(one.failed), std::to_string(one.cancelled),
                   std::to_string(one.dead_letter), std::to_string(one.dead_letters_left)});
    }
    return stats.empty() ? "no jobs yet\n" : table.text();
}

int run_stats(const Context& context) {
    auto client = context.client();
    if (!client.ok()) {
        return context.fail(client.error());
    }
    auto stats = client->stats();
    if (!stats.ok()) {
        return context.fail(stats.error());
    }
    if (!context.json) {
        auto now = client->now();
        if (!now.ok()) {
            return context.fail(now.error());
        }
        print(stats_table(*stats, *now));
        return kOk;
    }
    Json out = Json::array();
    for (const TypeStats& one : *stats) {
        out.push_back(to_json(one));
    }
    print_line(out.dump());
    return kOk;
}

}  // namespace

void add_stats(Command program, Context& context) {
    Command command = program.subcommand("stats", "What waits, runs, and has happened, per type");
    command.runs([&context] { return run_stats(context); });
}

}  // namespace jobforge::cli
