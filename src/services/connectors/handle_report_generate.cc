#include "services/connectors/connector_tools.h"
#include "services/connectors/report.h"
#include "services/jobs/outgoing_slot.h"
#include "services/jobs/step.h"
#include "statements/connectors.h"
#include "statements/jobs.h"

namespace jobforge::services {

namespace {

constexpr std::int64_t kTimeoutMs = 60'000;
// Three formats of this size stay below the 256 KiB from which a whole result is put aside.
constexpr std::size_t kInlineBytes = 64UL * 1024;

Json options_of(const Json& payload) {
    const Json* options = payload.find("options");
    return options == nullptr ? Json::object() : *options;
}

std::string default_title(std::string_view type) {
    if (type == "job-analytics") {
        return "How the jobs went";
    }
    return type == "tenant-usage" ? "What is used" : "What happened";
}

Result<Report> read_report(Step& step, const Job& job) {
    const Json options = options_of(job.payload);
    const auto limit = narrowed(options, "timeout_ms", std::nullopt, kTimeoutMs);
    auto before = step.call(statements::connectors::kReportLimitTime,
                            pg::Params().text(std::to_string(limit)));
    if (!before.ok()) {
        return std::move(before).error();
    }
    step.queue(statements::connectors::kGenerateReport,
               std::move(pg::Params().jsonb(job.payload.dump())));
    step.queue(statements::connectors::kReportRestoreTime,
               std::move(pg::Params().text(before->text(0, 0))));
    const auto rows = step.flush();
    if (!rows.ok()) {
        return rows.error();
    }
    auto answer = Json::parse(rows->front().json(0, 0));
    if (!answer.ok()) {
        return std::move(answer).error();
    }
    Report report;
    report.type = text_of(*answer, "report_type");
    report.title = text_of(options, "title", default_title(report.type));
    report.metadata = *answer->find("metadata");
    report.data = *answer->find("data");
    return report;
}

struct Output {
    std::string media_type;
    std::string bytes;
};

Output rendered(const Report& report, std::string_view format) {
    if (format == "csv") {
        return {"text/csv; charset=utf-8; header=present", report_csv(report)};
    }
    if (format == "html") {
        return {"text/html; charset=utf-8", report_html(report)};
    }
    return {"application/json", report.data.dump()};
}

// The entry of one format in the result: its content, or the artifact that has it.
Result<Json> output_entry(Step& step, const Job& job, const Report& report,
                          const std::string& format) {
    Output output = rendered(report, format);
    Json entry = Json::object({{"media_type", output.media_type},
                               {"bytes", static_cast<std::uint64_t>(output.bytes.size())}});
    if (output.bytes.size() <= kInlineBytes) {
        entry.set("content", format == "json" ? report.data : Json(std::move(output.bytes)));
        return entry;
    }
    pg::Params params;
    params.uuid(job.job_id).text("report." + format).bytea(output.bytes).text(output.media_type);
    const auto kept = step.call(statements::jobs::kKeepJobArtifact, params);
    if (!kept.ok()) {
        return kept.error();
    }
    entry.set("artifact_ref", kept->text(0, 0));
    return entry;
}

Result<Json> report_result(Step& step, const Job& job, const Report& report) {
    std::vector<std::string> formats = texts_of(job.payload.find("format"));
    if (formats.empty()) {
        formats.emplace_back("json");
    }
    Json outputs = Json::object();
    for (const std::string& format : formats) {
        if (outputs.find(format) == nullptr) {
            auto entry = output_entry(step, job, report, format);
            if (!entry.ok()) {
                return std::move(entry).error();
            }
            outputs.set(format, *std::move(entry));
        }
    }
    return Json::object({{"report_type", report.type},
                         {"metadata", report.metadata},
                         {"formats", std::move(outputs)}});
}

}  // namespace

// Everything in the completion transaction: the report is one statement and so one snapshot, and an
// artifact exists if and only if a result names it.
Outcome handle_report_generate(JobContext& context, ConnectorTools& tools) {
    const Job& job = context.job();
    if (const auto prepared = tools.prepare(job); !prepared.ok()) {
        return outcome_or_snooze(prepared.error());
    }
    Step step(context);
    const auto report = read_report(step, job);
    if (!report.ok()) {
        return outcome_of(report.error());
    }
    auto result = report_result(step, job, *report);
    return result.ok() ? Outcome(Done{*std::move(result)}) : outcome_of(result.error());
}

}  // namespace jobforge::services
