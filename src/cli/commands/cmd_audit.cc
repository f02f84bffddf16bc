// jobforge audit list|head|export; verify, consistency and accept-head have files of their own
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "audit/audit_export.h"
#include "base/crypto/hash.h"
#include "base/text/counted.h"
#include "cli/commands/audit_commands.h"
#include "cli/commands/commands.h"
#include "cli/commands/use_case.h"
#include "cli/offline/passport_files.h"
#include "cli/view/output.h"
#include "services/audit/audit.h"

namespace jobforge::cli {

namespace {

struct AuditOptions {
    std::string out;
    std::string aggregate;
    std::optional<std::string> type;
    int limit = 50;
    std::int64_t after = 0;
    bool waiting = false;
};

constexpr IdKind kAggregateId{"aggregate id", "jobforge audit list"};

int run_list(const Context& context, const AuditOptions& options) {
    const auto aggregate = optional_id_argument(kAggregateId, options.aggregate);
    if (!aggregate.ok()) {
        return context.fail(aggregate.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) {
        return show_rows(context,
                         services::list_events(calls, {.aggregate_id = *aggregate,
                                                       .event_type = options.type,
                                                       .limit = options.limit,
                                                       .after = options.after}),
                         {"event_seq", "occurred_at", "event_type", "aggregate_type",
                          "aggregate_id", "aggregate_version", "actor_id", "payload"});
    });
}

int run_head(const Context& context, const AuditOptions& options) {
    return with_trail(context, [&](pg::Connection& connection, const Uuid& tenant) -> Status {
        const auto head = services::newest_head(connection, tenant);
        if (!head.ok()) {
            return head.error();
        }
        if (!options.out.empty()) {
            if (auto written = write_whole_file(options.out, head->checkpoint); !written.ok()) {
                return written;
            }
        }
        if (context.json) {
            print_line(Json::object({{"tree_size", head->tree_size},
                                     {"root_hash", hex_encode(head->root_hash)},
                                     {"key_id", head->key_id},
                                     {"checkpoint", head->checkpoint}})
                           .dump());
        } else if (options.out.empty()) {
            print(head->checkpoint);
        } else {
            print_line(
                fmt::format("{}: the head of {}", options.out, counted(head->tree_size, "event")));
        }
        return ok_status();
    });
}

// Lines to standard output or to a file, which has its name only once it is whole. A trail may be
// larger than memory, so nothing is collected.
class LineWriter final {
public:
    [[nodiscard]] static Result<LineWriter> open(const std::string& path) {
        if (path.empty()) {
            return LineWriter(stdout, {});
        }
        const std::string part = fmt::format("{}.{}.part", path, ::getpid());
        std::FILE* file = std::fopen(part.c_str(), "wbx");
        return file == nullptr ? Result<LineWriter>(failed(path)) : LineWriter(file, path);
    }
    LineWriter(LineWriter&& other) noexcept
        : file_(std::exchange(other.file_, nullptr)), path_(std::move(other.path_)) {}
    LineWriter(const LineWriter&) = delete;
    LineWriter& operator=(const LineWriter&) = delete;
    LineWriter& operator=(LineWriter&&) = delete;
    ~LineWriter() {
        if (file_ != nullptr && !path_.empty()) {
            static_cast<void>(std::fclose(file_));
            static_cast<void>(std::remove(part().c_str()));
        }
    }

    [[nodiscard]] Status write(std::string_view line) {
        const bool whole = std::fwrite(line.data(), 1, line.size(), file_) == line.size();
        return whole ? ok_status() : Status(failed(path_));
    }
    [[nodiscard]] Status close() {
        if (std::fflush(file_) != 0) {
            return failed(path_);
        }
        if (path_.empty()) {
            return ok_status();
        }
        const bool stored = ::fsync(::fileno(file_)) == 0;
        const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
        if (!stored || !closed || std::rename(part().c_str(), path_.c_str()) != 0) {
            Error error = failed(path_);
            static_cast<void>(std::remove(part().c_str()));
            return error;
        }
        return ok_status();
    }

private:
    LineWriter(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
    [[nodiscard]] std::string part() const { return fmt::format("{}.{}.part", path_, ::getpid()); }
    [[nodiscard]] static Error failed(const std::string& path) {
        return Error::of(
            ErrorCode::VALIDATION_ERROR,
            fmt::format("cannot write {}: {}", path.empty() ? "to standard output" : path,
                        std::generic_category().message(errno)));
    }

    std::FILE* file_;
    std::string path_;
};

// A trail as it is written, with what was left out.
struct Exported {
    passport::AuditLineCounts written;
    std::int64_t left_out = 0;
};

Status write_event(LineWriter& writer, const passport::AuditEvent& event, bool waits,
                   bool with_waiting, Exported& done) {
    if (waits && !with_waiting) {
        ++done.left_out;
        return ok_status();
    }
    const auto line = passport::audit_line(
        event, waits ? passport::EventLine::waiting : passport::EventLine::logged);
    ++(waits ? done.written.waiting : done.written.events);
    return line.ok() ? writer.write(*line) : Status(line.error());
}

template <typename Row>
Status write_row(LineWriter& writer, const Row& row, std::int64_t& count) {
    const auto line = passport::audit_line(row);
    ++count;
    return line.ok() ? writer.write(*line) : Status(line.error());
}

Status write_trail(LineWriter& writer, pg::Connection& connection, const Uuid& tenant,
                   bool with_waiting, Exported& done) {
    std::unordered_set<Uuid> waiting;
    services::AuditSink sink;
    sink.waiting = [&](const Uuid& event_id) {
        waiting.insert(event_id);
        return ok_status();
    };
    sink.event = [&](const passport::AuditEvent& row) {
        return write_event(writer, row, waiting.contains(row.event_id), with_waiting, done);
    };
    sink.log_entry = [&](const passport::AuditLogEntry& row) {
        return write_row(writer, row, done.written.log_entries);
    };
    sink.head = [&](const passport::AuditHead& row) {
        return write_row(writer, row, done.written.heads);
    };
    if (auto begun = writer.write(passport::audit_line_begin(tenant)); !begun.ok()) {
        return begun;
    }
    if (auto read = services::read_audit(connection, tenant, sink); !read.ok()) {
        return read;
    }
    if (auto ended = writer.write(passport::audit_line_end(done.written)); !ended.ok()) {
        return ended;
    }
    return writer.close();
}

int run_export(const Context& context, const AuditOptions& options) {
    return with_trail(context, [&](pg::Connection& connection, const Uuid& tenant) -> Status {
        auto writer = LineWriter::open(options.out);
        if (!writer.ok()) {
            return std::move(writer).error();
        }
        Exported done;
        if (auto written = write_trail(*writer, connection, tenant, options.waiting, done);
            !written.ok()) {
            return written;
        }
        remark(context, fmt::format("{}, {}, {}",
                                    counted(done.written.events + done.written.waiting, "event"),
                                    counted(done.written.log_entries, "log entry", "log entries"),
                                    counted(done.written.heads, "head")));
        if (done.left_out > 0) {
            remark(context, fmt::format("left out: {} that no signed head covers yet; --waiting "
                                        "writes them too",
                                        counted(done.left_out, "event")));
        }
        return ok_status();
    });
}

}  // namespace

int with_trail(const Context& context, const AuditWork& work) {
    return with_calls(context, [&work](engine::TenantCalls& calls) -> Status {
        const auto tenant = tenant_of(calls);
        if (!tenant.ok()) {
            return tenant.error();
        }
        auto connection = pg::Connection::connect(
            {.url = calls.options().database_url, .application_name = "jobforge cli"});
        if (!connection.ok()) {
            return std::move(connection).error();
        }
        return work(*connection, *tenant);
    });
}

void add_audit(Command program, Context& context) {
    Command audit = program.group("audit", "Every change, and the proof that none is missing");
    add_audit_verify(audit, context);
    add_audit_consistency(audit, context);

    auto exported = std::make_shared<AuditOptions>();
    Command write = add_verb(audit, context, exported, "export",
                             "The whole trail as JSON lines, to be verified offline", &run_export);
    write.option("--out", exported->out, "A file; default: standard output");
    write.flag("--waiting", exported->waiting,
               "Also the events that no signed head covers yet; such an export is not anchored");

    auto headed = std::make_shared<AuditOptions>();
    Command head = add_verb(audit, context, headed, "head",
                            "The newest signed head: keep it outside of the database", &run_head);
    head.option("--out", headed->out, "A file; default: standard output");
    add_audit_accept(audit, context);

    auto listed = std::make_shared<AuditOptions>();
    Command list = add_verb(audit, context, listed, "list", "Events, oldest first", &run_list);
    list.option("--aggregate", listed->aggregate,
                "Only of this document version, snapshot, rules or passport version");
    list.option("--type", listed->type, "Only this event, e.g. PASSPORT_SIGNED");
    list.option("--limit", listed->limit, "At most this many").in_range(1, 1000).shows_default();
    list.option("--after", listed->after, "The next page: those after this event_seq")
        .shows_default();
}

}  // namespace jobforge::cli
