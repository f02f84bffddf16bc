#include "audit/audit_export.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <fmt/format.h>

#include "audit_trail.h"
#include "base/json/canonical.h"

namespace jobforge::passport {
namespace {

std::vector<std::string> exported(const AuditTrail& trail) {
    std::vector<std::string> lines{audit_line_begin(trail.tenant_id)};
    AuditLineCounts counts;
    for (const AuditEvent& event : trail.events) {
        const bool waits = std::ranges::find(trail.waiting, event.event_id) != trail.waiting.end();
        lines.push_back(audit_line(event, waits ? EventLine::waiting : EventLine::logged).value());
        ++(waits ? counts.waiting : counts.events);
    }
    for (const AuditLogEntry& entry : trail.log) {
        lines.push_back(audit_line(entry).value());
    }
    for (const AuditHead& head : trail.heads) {
        lines.push_back(audit_line(head).value());
    }
    counts.log_entries = static_cast<std::int64_t>(trail.log.size());
    counts.heads = static_cast<std::int64_t>(trail.heads.size());
    lines.push_back(audit_line_end(counts));
    return lines;
}

Result<AuditReport> verify_lines(const std::vector<std::string>& lines,
                                 const std::string& outside_head = {}) {
    AuditExportReader reader({trail_key().public_key()});
    if (!outside_head.empty()) {
        reader.add_outside_head({outside_head});
    }
    for (const std::string& line : lines) {
        if (auto added = reader.add_line(line); !added.ok()) {
            return std::move(added).error();
        }
    }
    return reader.finish();
}

void replace(std::string& text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
}

void expect_refused(const std::vector<std::string>& lines, const std::string& words) {
    const auto report = verify_lines(lines);
    ASSERT_FALSE(report.ok()) << words;
    EXPECT_EQ(report.error().code, ErrorCode::VALIDATION_ERROR);
    EXPECT_NE(report.error().message.find(words), std::string::npos) << report.error().message;
}

TEST(AuditExport, what_was_exported_verifies_offline_with_the_same_counts) {
    const AuditTrail trail = AuditTrail::sample();
    const AuditReport direct = trail.verify();
    const AuditReport offline = verify_lines(exported(trail)).value();
    EXPECT_TRUE(offline.ok()) << offline.fault->message;
    EXPECT_EQ(offline.events, direct.events);
    EXPECT_EQ(offline.aggregates, direct.aggregates);
    EXPECT_EQ(offline.log_entries, direct.log_entries);
    EXPECT_EQ(offline.heads, direct.heads);
    EXPECT_EQ(offline.signatures_checked, 2);
}

TEST(AuditExport, lines_are_canonical_json) {
    for (const std::string& line : exported(AuditTrail::sample())) {
        ASSERT_TRUE(line.ends_with('\n'));
        const std::string_view text = std::string_view(line).substr(0, line.size() - 1);
        EXPECT_EQ(canonical(Json::parse(text).value()).value(), text);
    }
    EXPECT_EQ(audit_line_begin(numbered_uuid(0xAA, 1)),
              "{\"audit_version\":\"BPC-AUDIT-2\",\"tenant_id\":"
              "\"aa000000-0000-0000-0000-000000000001\",\"type\":\"audit\"}\n");
    EXPECT_EQ(audit_line_end({.events = 9, .waiting = 1, .log_entries = 7, .heads = 2}),
              "{\"events\":9,\"heads\":2,\"log\":7,\"type\":\"end\",\"waiting\":1}\n");
}

TEST(AuditExport, texts_of_every_kind_come_back_as_they_were) {
    AuditTrail trail;
    trail.append(1, R"({"reason":"Zoë said \"no\"\n"})");
    trail.events[0].actor_id = "Zoë\t\"\\\x01";
    AuditTrail::rehash(trail.events[0]);
    EXPECT_TRUE(verify_lines(exported(trail)).value().ok());
    trail.events[0].actor_id = "\xFF";
    EXPECT_FALSE(audit_line(trail.events[0]).ok());
}

TEST(AuditExport, a_changed_line_is_found_as_in_the_database) {
    auto lines = exported(AuditTrail::sample());
    replace(lines[5], R"({\"n\":4})", R"({\"n\":5})");
    const auto fault = verify_lines(lines).value().fault.value();
    EXPECT_EQ(fault.what, "payload_hash");
    EXPECT_EQ(fault.event_id, numbered_uuid(0xEE, 4));
    auto moved = exported(AuditTrail::sample());
    replace(moved[3], ".000002Z", ".000003Z");
    EXPECT_EQ(verify_lines(moved).value().fault.value().what, "event_hash");
}

TEST(AuditExport, a_head_kept_outside_is_compared_too) {
    const AuditTrail trail = AuditTrail::sample();
    EXPECT_EQ(verify_lines(exported(trail), trail.heads[0].checkpoint).value().outside_heads, 1);
    AuditTrail none;
    EXPECT_EQ(verify_lines(exported(none), trail.heads[0].checkpoint).value().fault.value().what,
              "head_beyond_log");
}

TEST(AuditExport, an_event_without_a_log_entry_is_a_fault_unless_the_export_says_that_it_waits) {
    AuditTrail trail = AuditTrail::sample();
    const AuditReport waiting = verify_lines(exported(trail)).value();
    EXPECT_TRUE(waiting.ok());
    EXPECT_EQ(waiting.events_not_logged, 2);
    EXPECT_FALSE(waiting.anchored());  // nobody has signed for two of its events
    auto added = exported(trail);
    replace(added[9], R"("type":"waiting")", R"("type":"event")");
    replace(added.back(), R"("events":7)", R"("events":8)");
    replace(added.back(), R"("waiting":2)", R"("waiting":1)");
    const auto fault = verify_lines(added).value().fault.value();
    EXPECT_EQ(fault.what, "event_not_logged");
    EXPECT_EQ(fault.event_id, numbered_uuid(0xEE, 8));

    trail.seal(9);
    EXPECT_TRUE(verify_lines(exported(trail)).value().anchored());
}

// As releases before this one wrote it: leaves of form 1, no frontier, no word about what waits.
std::vector<std::string> exported_in_version_1(const AuditTrail& trail) {
    std::vector<std::string> lines = exported(trail);
    for (std::string& line : lines) {
        const Json json = Json::parse(std::string_view(line).substr(0, line.size() - 1)).value();
        Json old = Json::object();
        for (const auto& [name, value] : *json.as_object()) {
            if (name != "leaf_version" && name != "head_size" && name != "frontier" &&
                name != "waiting") {
                old.set(name, value);
            }
        }
        line = canonical(old).value() + "\n";
        if (const std::size_t at = line.find(R"("type":"waiting")"); at != std::string::npos) {
            line.replace(at, 16, R"("type":"event")");
        }
    }
    replace(lines.front(), "BPC-AUDIT-2", "BPC-AUDIT-1");
    replace(lines.back(), fmt::format(R"("events":{})", trail.log.size()),
            fmt::format(R"("events":{})", trail.events.size()));
    return lines;
}

TEST(AuditExport, the_version_before_is_read_and_cannot_hide_what_form_2_shows) {
    const AuditReport old = verify_lines(exported_in_version_1(AuditTrail::sample(1))).value();
    EXPECT_TRUE(old.ok()) << old.fault->message;
    EXPECT_EQ(old.signatures_checked, 2);
    EXPECT_FALSE(
        old.anchored());  // two events are in no log: such a file does not say that they wait
    AuditTrail whole = AuditTrail::sample(1);
    whole.seal(9);
    EXPECT_TRUE(verify_lines(exported_in_version_1(whole)).value().anchored());
    EXPECT_EQ(verify_lines(exported_in_version_1(AuditTrail::sample())).value().fault.value().what,
              "head_root");
}

TEST(AuditExport, a_file_that_was_cut_or_lengthened_is_refused) {
    const auto whole = exported(AuditTrail::sample());
    auto cut = whole;
    cut.pop_back();
    expect_refused(cut, "cut short");
    expect_refused({}, "cut short");
    auto without_line = whole;
    without_line.erase(without_line.end() - 2);  // a head
    expect_refused(without_line, "counts other lines");
    auto longer = whole;
    longer.push_back(whole[1]);
    expect_refused(longer, "nothing follows");
}

TEST(AuditExport, lines_of_another_form_are_refused_with_their_number) {
    const auto whole = exported(AuditTrail::sample());
    expect_refused({whole.begin() + 1, whole.end()}, "line 1: an audit export begins with");
    const auto with = [&whole](std::size_t at, const std::string& from, const std::string& to) {
        auto lines = whole;
        replace(lines[at], from, to);
        return lines;
    };
    expect_refused(with(0, "BPC-AUDIT-2", "BPC-AUDIT-3"), "line 1: this export has the version");
    expect_refused(with(1, "{", "["), "line 2: ");
    expect_refused(with(2, R"("type":"event")", R"("type":"evant")"), "line 3: this is not a line");
    expect_refused(with(2, R"("actor_id")", R"("author_id")"), "line 3: \"actor_id\" is missing");
    expect_refused(with(2, R"("actor_id":null,)", ""),
                   "line 3: it has members too many or too few");
    expect_refused(with(2, R"("aggregate_version":1)", R"("aggregate_version":"1")"),
                   "\"aggregate_version\" is missing or no whole number");
    expect_refused(with(2, R"("event_id":"ee)", R"("event_id":"xx)"), "\"event_id\" cannot");
    expect_refused(with(2, R"("payload_hash":")", R"("payload_hash":"x)"), "\"payload_hash\"");
    expect_refused(with(2, ".000001Z", ".000001+00:00"), "\"occurred_at\" is not a time");
    expect_refused(with(10, R"("log_index":0)", R"("log_index":0.0)"), "line 11: \"log_index\"");
}

}  // namespace
}  // namespace jobforge::passport
