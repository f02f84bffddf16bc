// A superuser changes the audit trail in every way that he can, with triggers switched off. What
// `audit verify` says with a head that was kept outside, and without one, and whether the log
// keeper signs the next head: docs/audit.md has the same table.
#include <fstream>
#include <sstream>

#include "audit/signed_note.h"
#include "log_world.h"
#include "test_paths.h"

namespace jobforge::services {
namespace {

// Three aggregates, six events, three heads:  A1 B1 | A2 B2 | A3 C1.
// In the statements {t} is the tenant, {a}, {b}, {c} are its aggregates, {note} a head over the
// whole log as it stands, signed by a key of the attacker's.
struct Tampering {
    const char* name;
    const char* sql;
    const char* with_head;
    const char* without_head;
    const char* keeper;
};

// All hashes of the tenant made right again, as a forger would.
constexpr char kHelpers[] = R"(
create function pg_temp.rechain(p_tenant uuid) returns void language plpgsql as $$
declare
    e record;
    v_prev bytea;
begin
    for e in select * from jobforge.events where tenant_id = p_tenant
        order by aggregate_type, aggregate_id, aggregate_version
    loop
        v_prev := case when e.aggregate_version > 1 then (select p.event_hash from jobforge.events p
            where p.tenant_id = p_tenant and p.aggregate_id = e.aggregate_id
                and p.aggregate_version = e.aggregate_version - 1) end;
        update jobforge.events set payload_hash = sha256(e.payload_canonical), prev_event_hash = v_prev,
            event_hash = jobforge.event_hash(p_tenant, e.aggregate_type, e.aggregate_id,
                e.aggregate_version, e.event_type, e.actor_id, e.occurred_at,
                sha256(e.payload_canonical), v_prev)
        where tenant_id = p_tenant and event_id = e.event_id;
    end loop;
end $$;
create function pg_temp.relog(p_tenant uuid) returns void language sql as $$
    update jobforge.event_log l set event_hash = e.event_hash from jobforge.events e
    where l.tenant_id = p_tenant and e.tenant_id = p_tenant and e.event_id = l.event_id $$;
create function pg_temp.unlog(p_tenant uuid, p_from bigint) returns void language sql as $$
    insert into jobforge.events_to_log (tenant_id, event_seq, event_id)
    select e.tenant_id, e.event_seq, e.event_id from jobforge.events e
    join jobforge.event_log l using (tenant_id, event_id)
    where e.tenant_id = p_tenant and l.log_index >= p_from;
    delete from jobforge.event_log where tenant_id = p_tenant and log_index >= p_from;
    delete from jobforge.log_heads where tenant_id = p_tenant and tree_size > p_from $$)";

constexpr char kForge[] =
    "update jobforge.events set payload_canonical = '{\"n\":\"forged\"}' where {A2}; "
    "select pg_temp.rechain('{t}'); ";

const Tampering kTamperings[] = {
    {"payload changed", "update jobforge.events set payload_canonical = '{}' where {A2}",
     "payload_hash", "payload_hash", "signs"},
    {"actor changed", "update jobforge.events set actor_id = 'another' where {A2}", "event_hash",
     "event_hash", "signs"},
    {"time changed",
     "update jobforge.events set occurred_at = occurred_at + interval '1 microsecond' where {A2}",
     "event_hash", "event_hash", "signs"},
    {"type changed", "update jobforge.events set event_type = 'PASSPORT_REVOKED' where {A2}",
     "event_hash", "event_hash", "signs"},
    {"version changed", "update jobforge.events set aggregate_version = 7 where {A3}",
     "version_gap", "version_gap", "signs"},
    {"last event of a chain deleted", "delete from jobforge.events where {A3}", "log_event_missing",
     "log_event_missing", "signs"},
    {"event in the middle deleted", "delete from jobforge.events where {A2}", "version_gap",
     "version_gap", "signs"},
    {"whole chain deleted",
     "delete from jobforge.events where tenant_id = '{t}' and aggregate_id = '{b}'",
     "log_event_missing", "log_event_missing", "signs"},
    {"event inserted",
     "insert into jobforge.events (tenant_id, event_id, aggregate_type, aggregate_id, "
     "aggregate_version, event_type, payload_canonical, payload_hash, event_hash, occurred_at, "
     "event_seq) select tenant_id, gen_random_uuid(), aggregate_type, gen_random_uuid(), 1, "
     "event_type, payload_canonical, payload_hash, event_hash, occurred_at, event_seq + 1 from "
     "jobforge.events where {A3}; select pg_temp.rechain('{t}')",
     "event_not_logged", "event_not_logged", "signs"},
    {"two events exchanged",
     "update jobforge.events e set payload_canonical = o.payload_canonical, payload_hash = "
     "o.payload_hash from jobforge.events o where e.tenant_id = '{t}' and o.tenant_id = '{t}' and "
     "e.aggregate_id = '{a}' and o.aggregate_id = '{b}' and e.aggregate_version = 1 and "
     "o.aggregate_version = 1",
     "event_hash", "event_hash", "signs"},
    {"chain hashed again", kForge, "log_event_hash", "log_event_hash", "signs"},
    {"chain and log hashed again", "{forge} select pg_temp.relog('{t}')", "head_root", "head_root",
     "signs"},
    {"order of the log changed",
     "update jobforge.event_log set log_index = 101 - log_index where tenant_id = '{t}' and "
     "log_index < 2; update jobforge.event_log set log_index = log_index - 100 where tenant_id = "
     "'{t}' and log_index >= 100",
     "head_root", "head_root", "signs"},
    {"event renamed",
     "update jobforge.events set event_id = 'eeeeeeee-0000-4000-8000-000000000001' where {A2}; "
     "update jobforge.event_log set event_id = 'eeeeeeee-0000-4000-8000-000000000001' where "
     "tenant_id = '{t}' and log_index = 2",
     "head_root", "head_root", "signs"},
    {"log entry deleted",
     "delete from jobforge.event_log where tenant_id = '{t}' and log_index = 5", "event_not_logged",
     "event_not_logged", "refuses"},
    {"log entries deleted and made to wait again",
     "insert into jobforge.events_to_log select e.tenant_id, "
     "e.event_seq, e.event_id from jobforge.events e join jobforge.event_log l using (tenant_id, "
     "event_id) where l.tenant_id = '{t}' and l.log_index >= 4; delete from jobforge.event_log "
     "where tenant_id = '{t}' and log_index >= 4",
     "head_beyond_log", "head_beyond_log", "refuses"},
    {"old heads deleted",
     "delete from jobforge.log_heads where tenant_id = '{t}' and tree_size < 6", "head_missing",
     "head_missing", "signs"},
    {"newest head deleted",
     "delete from jobforge.log_heads where tenant_id = '{t}' and tree_size = 6", "head_missing",
     "head_missing", "refuses"},
    {"all heads deleted", "delete from jobforge.log_heads where tenant_id = '{t}'", "head_missing",
     "head_missing", "refuses"},
    {"frontier changed",
     "update jobforge.log_heads set frontier = array[sha256('x'), null, sha256('y')] where "
     "tenant_id = '{t}' and tree_size = 6",
     "head_frontier", "head_frontier", "refuses"},
    {"key inserted, and a head signed with it",
     "{forge} select pg_temp.relog('{t}'); delete from jobforge.log_heads where tenant_id = "
     "'{t}'; {thief}",
     "head_signature", "head_signature", "refuses"},
    {"everything deleted",
     "delete from jobforge.log_heads where tenant_id = '{t}'; delete from jobforge.event_log where "
     "tenant_id = '{t}'; delete from jobforge.events where tenant_id = '{t}'",
     "head_beyond_log", "not anchored", "refuses"},
    {"everything after an older head deleted",
     "select pg_temp.unlog('{t}', 4); delete from jobforge.events e using jobforge.events_to_log u "
     "where e.tenant_id = '{t}' and u.tenant_id = '{t}' and u.event_id = e.event_id; delete from "
     "jobforge.events_to_log where tenant_id = '{t}'",
     "head_beyond_log", "whole", "refuses"},
    {"rewritten, all heads deleted, the events made to wait again",
     "{forge} select pg_temp.unlog('{t}', 0)", "head_beyond_log", "not anchored", "refuses"},
    {"rewritten after an older head, the events made to wait again",
     "update jobforge.events set payload_canonical = '{\"n\":\"forged\"}' where {A3}; select "
     "pg_temp.rechain('{t}'); select pg_temp.unlog('{t}', 4)",
     "head_beyond_log", "whole", "refuses"},
};

void replace_all(std::string& text, std::string_view from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

class TamperingTest : public LogWorld {
protected:
    // Constraints do not hold a superuser either.
    TamperingTest() {
        run("alter table jobforge.events drop constraint events_payload_hash_matches, "
            "drop constraint events_first_has_no_predecessor");
        run(kHelpers);
    }

    // A tenant of its own with the trail that is going to be changed.
    std::string fresh_trail(int number) {
        make_tenant(fmt::format("aaaaaaaa-0000-4000-8000-{:012}", number),
                    fmt::format("tampered {}", number));
        happen({1, 2});
        EXPECT_EQ(extend(), "2");
        happen({1, 2});
        EXPECT_EQ(extend(), "2");
        happen({1, 3});
        EXPECT_EQ(extend(), "2");
        return newest();
    }
    // What a thief's head over the forged log is stored with: the key's row, and the head's.
    std::string stolen_head() {
        const auto thief = Ed25519PrivateKey::from_seed(std::string(32, 't')).value();
        const auto leaves = read_log_leaves(connection_, tenant_).value();
        MerkleFrontier tree;
        std::string nodes;
        for (const Sha256& leaf : leaves) {
            tree.append(leaf);
        }
        for (const Sha256& node : tree.nodes()) {
            nodes += fmt::format("{}'\\x{}'::bytea", nodes.empty() ? "" : ", ", hex_encode(node));
        }
        const auto note =
            sign_checkpoint({passport::log_origin(tenant_), tree.size(), tree.root()}, thief);
        return fmt::format(
            "insert into jobforge.signing_keys (tenant_id, key_id, public_key) values ('{0}', "
            "'thief', '\\x{1}'); insert into jobforge.log_heads (tenant_id, tree_size, root_hash, "
            "frontier, checkpoint, key_id) values ('{0}', {2}, '\\x{3}', array[{4}], '{5}', "
            "'thief')",
            tenant_.to_string(),
            hex_encode(std::string_view(
                reinterpret_cast<const char*>(thief.public_key().bytes().data()), 32)),
            tree.size(), hex_encode(tree.root()), nodes, *note);
    }
    void tamper_with(const Tampering& tampering) {
        std::string sql = tampering.sql;
        replace_all(sql, "{forge}", kForge);
        for (const auto& [mark, aggregate, version] :
             {std::tuple("{A2}", 1, 2), std::tuple("{A3}", 1, 3)}) {
            replace_all(sql, mark,
                        fmt::format("tenant_id = '{}' and aggregate_id = "
                                    "'bbbbbbbb-0000-4000-8000-{:012}' and aggregate_version = {}",
                                    "{t}", aggregate, version));
        }
        for (const auto& [mark, aggregate] : {std::pair("{a}", 1), std::pair("{b}", 2)}) {
            replace_all(sql, mark, fmt::format("bbbbbbbb-0000-4000-8000-{:012}", aggregate));
        }
        replace_all(sql, "{t}", tenant_.to_string());
        const std::size_t thief = sql.find("{thief}");
        tamper(sql.substr(0, thief));
        if (thief != std::string::npos) {
            tamper(stolen_head());
        }
    }
    static std::string said(const passport::AuditReport& report) {
        return report.fault ? report.fault->what : report.anchored() ? "whole" : "not anchored";
    }
};

std::string documented_table() {
    std::ostringstream page;
    page << std::ifstream(std::string(JOBFORGE_SOURCE_DIR) + "/docs/audit.md").rdbuf();
    const std::string text = page.str();
    const std::size_t begin = text.find("| what a superuser does |");
    const std::size_t rows = text.find('\n', text.find('\n', begin) + 1) + 1;
    return begin == std::string::npos ? "" : text.substr(rows, text.find("\n\n", rows) + 1 - rows);
}

TEST_F(TamperingTest, each_kind_is_found_with_a_head_kept_outside_and_the_page_has_both_columns) {
    std::string table;
    for (const Tampering& kind : kTamperings) {
        SCOPED_TRACE(kind.name);
        const std::string head = fresh_trail(static_cast<int>(&kind - kTamperings) + 1);
        ASSERT_EQ(said(verify({head})), "whole");
        tamper_with(kind);
        EXPECT_EQ(said(verify({head})), kind.with_head);
        EXPECT_EQ(said(verify()), kind.without_head);
        happen({9});
        EXPECT_EQ(extend(), std::string(kind.keeper) == "refuses" ? "LOG_HEAD_MISMATCH" : "1");
        // Whatever the keeper does, the forgery is not covered by the key.
        EXPECT_NE(said(verify({head})), "whole");
        const auto cell = [](std::string_view what) {
            return what == "whole" || what == "not anchored"
                       ? fmt::format("**not found**: {}", what)
                       : fmt::format("`{}`", what);
        };
        table += fmt::format("| {} | {} | {} | {} |\n", kind.name, cell(kind.with_head),
                             cell(kind.without_head), kind.keeper);
    }
    EXPECT_EQ(documented_table(), table);
}

}  // namespace
}  // namespace jobforge::services
