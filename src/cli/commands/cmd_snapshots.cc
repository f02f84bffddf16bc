// jobforge snapshots create|add|remove|reopen|build|seal|show|list
#include <fmt/format.h>

#include "base/text/counted.h"
#include "cli/commands/commands.h"
#include "cli/commands/use_case.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"
#include "services/passport/snapshots.h"

namespace jobforge::cli {

namespace {

struct SnapshotOptions {
    std::string snapshot;
    std::string id;
    std::string label;
    std::vector<std::string> documents;
    std::vector<std::string> facts;
    std::string fact_type;
    std::string fact_key;
    std::optional<std::string> status;
    PageOptions page;
    WaitOptions wait;
};

int run_create(const Context& context, const SnapshotOptions& options) {
    const auto id = optional_id_argument(kSnapshotId, options.id);
    if (!id.ok()) {
        return context.fail(id.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) -> Status {
        auto made = services::create_snapshot(
            calls, {.label = options.label, .snapshot_id = *id, .actor_id = kActor});
        if (!made.ok()) {
            return std::move(made).error();
        }
        print_id(context, "snapshot_id", *made);
        return ok_status();
    });
}

int run_add(const Context& context, const SnapshotOptions& options) {
    const auto documents = id_arguments(kDocumentId, options.documents);
    const auto facts = id_arguments(kFactId, options.facts);
    if (!documents.ok() || !facts.ok()) {
        return context.fail(documents.ok() ? facts.error() : documents.error());
    }
    if (documents->empty() && facts->empty()) {
        return context.fail(Error::of(ErrorCode::CONFIG_MISSING,
                                      "what to add? Give --document or --fact, each repeatable"));
    }
    return with_id(
        context, kSnapshotId, options.snapshot,
        [&](engine::TenantCalls& calls, const Uuid& id) -> Status {
            auto added = services::add_snapshot_facts(
                calls, id,
                {.fact_ids = *facts, .document_version_ids = *documents, .actor_id = kActor});
            if (!added.ok()) {
                return std::move(added).error();
            }
            print_line(context.json ? Json::object({{"added", *added}}).dump()
                                    : counted(*added, "fact") + " added");
            return ok_status();
        });
}

// One word after a change: "<id> reopened".
Status changed(const Context& context, const Uuid& id, std::string_view word, Status done) {
    if (!done.ok()) {
        return done;
    }
    print_line(context.json ? Json::object({{"snapshot_id", id.to_string()}, {"done", word}}).dump()
                            : fmt::format("{} {}", id.to_string(), word));
    return ok_status();
}

int run_remove(const Context& context, const SnapshotOptions& options) {
    return with_id(
        context, kSnapshotId, options.snapshot, [&](engine::TenantCalls& calls, const Uuid& id) {
            return changed(
                context, id, "fact removed",
                services::remove_snapshot_fact(calls, id, options.fact_type, options.fact_key));
        });
}

int run_reopen(const Context& context, const SnapshotOptions& options) {
    return with_id(
        context, kSnapshotId, options.snapshot, [&](engine::TenantCalls& calls, const Uuid& id) {
            return changed(context, id, "reopened", services::reopen_snapshot(calls, id, kActor));
        });
}

int run_build(const Context& context, const SnapshotOptions& options) {
    return with_id(context, kSnapshotId, options.snapshot,
                   [&](engine::TenantCalls& calls, const Uuid& id) -> Status {
                       const auto job = services::build_snapshot(calls, id, kActor);
                       if (!job.ok()) {
                           return job.error();
                       }
                       print_id(context, "job_id", *job);
                       return wait_if_wanted(context, options.wait, *job);
                   });
}

int run_seal(const Context& context, const SnapshotOptions& options) {
    return with_id(context, kSnapshotId, options.snapshot,
                   [&](engine::TenantCalls& calls, const Uuid& id) -> Status {
                       auto hash = services::seal_snapshot(calls, id, kActor);
                       if (!hash.ok()) {
                           return std::move(hash).error();
                       }
                       print_line(context.json ? Json::object({{"snapshot_id", id.to_string()},
                                                               {"snapshot_hash", *hash}})
                                                     .dump()
                                               : *hash);
                       return ok_status();
                   });
}

Status show(const Context& context, engine::TenantCalls& calls, const Uuid& id) {
    auto row = services::get_snapshot(calls, id);
    if (!row.ok()) {
        return std::move(row).error();
    }
    auto facts = services::list_snapshot_facts(calls, id);
    if (!facts.ok()) {
        return std::move(facts).error();
    }
    if (context.json) {
        Json out = readable(*row);
        out.set("facts", Json(*std::move(facts)));
        print_line(out.dump());
        return ok_status();
    }
    // The canonical document is for programs: people get its facts as a table.
    Json::Object members;
    for (const Json::Member& member : *row->as_object()) {
        if (member.first != "snapshot_canonical") {
            members.push_back(member);
        }
    }
    print(row_as_text(readable(Json(std::move(members)))) + "\n");
    print(rows_as_table(*facts, {"fact_type", "fact_key", "source_name", "source_sha256"}));
    return ok_status();
}

int run_show(const Context& context, const SnapshotOptions& options) {
    return with_id(context, kSnapshotId, options.snapshot,
                   [&context](engine::TenantCalls& calls, const Uuid& id) {
                       return show(context, calls, id);
                   });
}

int run_list(const Context& context, const SnapshotOptions& options) {
    const auto before = optional_id_argument(kSnapshotId, options.page.before);
    if (!before.ok()) {
        return context.fail(before.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) {
        services::SnapshotFilter filter;
        filter.limit = options.page.limit;
        filter.before = *before;
        filter.status = options.status;
        return show_rows(
            context, services::list_snapshots(calls, filter),
            {"snapshot_id", "label", "status", "fact_count", "created_at", "sealed_at"});
    });
}

// A verb over one snapshot.
Command add_one(Command snapshots, Context& context,
                const std::shared_ptr<SnapshotOptions>& options, const std::string& name,
                const std::string& help, int (*run)(const Context&, const SnapshotOptions&)) {
    Command command = add_verb(snapshots, context, options, name, help, run);
    command.option("SNAPSHOT", options->snapshot, "Snapshot id").required();
    return command;
}

std::shared_ptr<SnapshotOptions> fresh() {
    return std::make_shared<SnapshotOptions>();
}

void add_changes(Command snapshots, Context& context) {
    auto created = fresh();
    Command create = add_verb(snapshots, context, created, "create",
                              "An empty snapshot, BUILDING; prints its id", &run_create);
    create.option("--label", created->label, "For people");
    create.option("--id", created->id, "An id of your own: then repeating is harmless");

    auto added = fresh();
    Command add =
        add_one(snapshots, context, added, "add", "Add facts to a BUILDING snapshot", &run_add);
    add.option("--document", added->documents, "All facts of this document version; repeatable");
    add.option("--fact", added->facts, "One fact; repeatable");

    auto removed = fresh();
    Command remove = add_one(snapshots, context, removed, "remove",
                             "Take one fact out of a BUILDING snapshot", &run_remove);
    remove.option("TYPE", removed->fact_type, "Fact type").required();
    remove.option("KEY", removed->fact_key, "Fact key").required();
}

}  // namespace

void add_snapshots(Command program, Context& context) {
    Command snapshots =
        program.group("snapshots", "Sets of facts: BUILDING, then READY, then SEALED");
    add_changes(snapshots, context);
    add_one(snapshots, context, fresh(), "reopen", "READY back to BUILDING", &run_reopen);
    auto built = fresh();
    Command build = add_one(snapshots, context, built, "build",
                            "Enqueue the job that makes it READY; prints the job's id", &run_build);
    add_wait_options(build, built->wait, "it is READY");
    add_one(snapshots, context, fresh(), "seal", "READY to SEALED, for ever; prints its hash",
            &run_seal);
    add_one(snapshots, context, fresh(), "show", "One snapshot and its facts", &run_show);
    auto listed = fresh();
    Command list = add_verb(snapshots, context, listed, "list", "Newest first", &run_list);
    list.option("--status", listed->status, "BUILDING, READY or SEALED");
    add_page_options(list, listed->page);
}

}  // namespace jobforge::cli
