// connector.report.generate with a real worker: forms, limits, and where large ones go.
#include <gmock/gmock.h>

#include "connector_world.h"

namespace jobforge::services {
namespace {

using testing::HasSubstr;

constexpr char kReport[] = "connector.report.generate";

class ReportGenerate : public test::ConnectorWorld {
protected:
    std::string at(const std::string& job, std::string_view path) {
        return one(fmt::format(
            "select result #>> '{{{}}}' from jobforge.all_jobs where job_id = '{}'", path, job));
    }
    void finished(std::string_view type, std::string_view error) {
        run(fmt::format(
            "insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, "
            "attempts, max_attempts, lease_token, scheduled_at, created_at, started_at, "
            "completed_at, payload, last_error) select '{}', gen_random_uuid(), '{}', 'FAILED', 2, "
            "1, 5, 1, t, t, t, t, '{{}}', jsonb_build_object('code', 'C', 'message', '{}') from "
            "(values (timestamptz '2026-03-01T12:00:00Z')) x(t)",
            tenant_.to_string(), type, error));
    }
};

TEST_F(ReportGenerate, gives_every_format_that_is_asked_for_with_what_it_was_made_from) {
    finished("=cmd|<b>", "<script>alert(1)</script>");
    const std::string job = enqueue(
        kReport,
        R"({"report_type":"job-analytics","period":{"from":"2026-03-01","to":"2026-03-02"},)"
        R"("format":["html","csv","json"],"options":{"title":"Q1 <&>","top_n":3}})");
    ASSERT_EQ(end_of(job), "SUCCEEDED") << message_of(job);
    EXPECT_EQ(at(job, "report_type"), "job-analytics");
    EXPECT_EQ(at(job, "metadata,rows"), "1");
    EXPECT_EQ(at(job, "metadata,period,from"), "2026-03-01T00:00:00.000000Z");
    EXPECT_EQ(at(job, "metadata,period,to"), "2026-03-02T00:00:00.000000Z");
    // By the database's clock, between the claim and the end.
    EXPECT_EQ(
        one(fmt::format("select (result #>> '{{metadata,generated_at}}')::timestamptz between "
                        "started_at and completed_at from jobforge.finished_jobs where "
                        "job_id = '{}'",
                        job)),
        "true");
    EXPECT_EQ(at(job, "formats,json,content,totals,failed"), "1");
    EXPECT_THAT(at(job, "formats,csv,content"), HasSubstr("by_type,1,type,'=cmd|<b>\r\n"));
    const std::string html = at(job, "formats,html,content");
    EXPECT_THAT(html, HasSubstr("<h1>Q1 &lt;&amp;&gt;</h1>"));
    EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)"));
    EXPECT_THAT(html, testing::Not(HasSubstr("<script")));
    EXPECT_EQ(at(job, "formats,html,bytes"), std::to_string(html.size()));
    EXPECT_EQ(at(job, "formats,html,media_type"), "text/html; charset=utf-8");
}

TEST_F(ReportGenerate, without_more_words_is_json_of_thirty_days) {
    for (const char* type : {"job-analytics", "tenant-usage", "usage-summary"}) {
        const std::string job = enqueue(kReport, fmt::format(R"({{"report_type":"{}"}})", type));
        ASSERT_EQ(end_of(job), "SUCCEEDED") << message_of(job);
        EXPECT_EQ(one(fmt::format("select jsonb_array_length(result #> "
                                  "'{{formats,json,content,by_day}}') from jobforge.all_jobs where "
                                  "job_id = '{}'",
                                  job)),
                  "30");
        EXPECT_EQ(at(job, "formats,html"), "");
    }
}

TEST_F(ReportGenerate, puts_what_is_large_into_an_artifact) {
    const std::string job = enqueue(
        kReport,
        R"({"report_type":"job-analytics","period":{"from":"2025-03-01","to":"2026-03-01"},)"
        R"("format":["html","json"]})");
    ASSERT_EQ(end_of(job), "SUCCEEDED") << message_of(job);
    EXPECT_EQ(at(job, "formats,html,content"), "");
    const std::string ref = at(job, "formats,html,artifact_ref");
    const std::string page = one(
        fmt::format("select convert_from(content, 'UTF8') from jobforge.get_artifact('{}')", ref));
    EXPECT_EQ(at(job, "formats,html,bytes"), std::to_string(page.size()));
    EXPECT_GT(page.size(), 65536U);
    EXPECT_THAT(page, testing::EndsWith("</html>\n"));
    EXPECT_EQ(one(fmt::format("select name from jobforge.job_artifacts where job_id = '{}'", job)),
              "report.html");
    EXPECT_EQ(at(job, "formats,json,content,totals,jobs"), "0");
}

TEST_F(ReportGenerate, refuses_what_cannot_be_a_report) {
    const auto period = [](std::string_view from, std::string_view to) {
        return fmt::format(
            R"({{"report_type":"job-analytics","period":{{"from":"{}","to":"{}"}}}})", from, to);
    };
    EXPECT_EQ(ends(kReport, period("2026-03-02", "2026-03-01")), "FAILED VALIDATION_ERROR");
    EXPECT_EQ(ends(kReport, period("2026-02-30", "2026-03-01")), "FAILED JOB_PAYLOAD_INVALID");
    EXPECT_EQ(ends(kReport, period("2020-01-01", "2026-03-01")), "FAILED VALIDATION_ERROR");
    configure(kReport, R"({"max_period_days": 7})");
    EXPECT_EQ(ends(kReport, period("2026-03-01", "2026-03-08")), "SUCCEEDED");
    EXPECT_EQ(ends(kReport, period("2026-03-01", "2026-03-09")), "FAILED VALIDATION_ERROR");
    run(fmt::format("select jobforge.set_connector_config('{}', '{{}}', false)", kReport));
    EXPECT_EQ(ends(kReport, period("2026-03-01", "2026-03-02")), "FAILED FORBIDDEN");
}

TEST_F(ReportGenerate, that_takes_too_long_ends_and_is_tried_again) {
    const std::string job =
        enqueue(kReport, R"({"report_type":"usage-summary","options":{"timeout_ms":100}})");
    run("begin; lock table jobforge.events in access exclusive mode");
    EXPECT_EQ(retry_of(job), "QUEUED TIMEOUT");
    run("commit");
}

}  // namespace
}  // namespace jobforge::services
