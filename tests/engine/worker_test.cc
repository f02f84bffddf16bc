// What a worker does with a job: outcomes, exceptions, limits.
#include <jobforge/worker.h>

#include <atomic>
#include <latch>
#include <mutex>
#include <set>

#include <gmock/gmock.h>

#include "worker_world.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class WorkerRuns : public WorkerWorld {};

// A sink of the level that deployments have.
class InfoLines final : public LogSink {
public:
    void write(const LogRecord& record) noexcept override { lines_.write(record); }
    [[nodiscard]] bool enabled(LogLevel level) const noexcept override {
        return level >= LogLevel::info;
    }
    void begin_batch() noexcept override { ++batches_; }
    void end_batch() noexcept override { --batches_; }
    [[nodiscard]] std::string text() const { return lines_.text(); }
    [[nodiscard]] int batches() const noexcept { return batches_; }

private:
    Lines lines_;
    std::atomic<int> batches_ = 0;
};

TEST_F(WorkerRuns, a_job_and_stores_its_result) {
    type("t");
    const Uuid id =
        enqueue("t", R"({"a": 75.50})", "p_trace_id => 'trace-1', p_created_by => 'me'");
    Job seen;
    std::string claim;
    pg::Connection mine = database_.connect();
    Worker worker(options());
    worker.on("t", [&](JobContext& context) -> Outcome {
        seen = context.job();
        claim = mine.exec({"claim", "select claim_id::text from jobforge.jobs"})->text(0, 0);
        return Done{Json::object({{"answer", 42}})};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    worker.stop();
    worker.wait();
    EXPECT_EQ(job(id, "result ->> 'answer'"), "42");
    EXPECT_EQ(job(id, "lease_owner"), worker.worker_id());
    EXPECT_EQ(seen.job_id, id);
    EXPECT_EQ(seen.tenant_id, tenant_);
    EXPECT_EQ(seen.type, "t");
    EXPECT_EQ(seen.payload.dump(), R"({"a":75.50})");
    EXPECT_EQ(seen.attempt_no, 1);
    EXPECT_EQ(seen.claim_id.to_string(), claim);
    EXPECT_EQ(seen.trace_id, "trace-1");
    EXPECT_EQ(seen.created_by, "me");
    EXPECT_EQ(seen.idempotency_key, "");
    EXPECT_EQ(worker.numbers().succeeded, 1U);
    EXPECT_EQ(attempts(id), "SUCCEEDED");
}

TEST_F(WorkerRuns, each_job_to_one_line_at_info_when_it_has_ended) {
    type("t");
    const Uuid id = enqueue("t", "{}", "p_trace_id => 'trace-1'");
    const auto lines = std::make_shared<InfoLines>();
    WorkerOptions logging = options();
    logging.log = Logger(lines);
    Worker worker(logging);
    worker.on("t", [&](JobContext&) -> Outcome { return Done{}; });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    worker.stop();
    worker.wait();
    const std::string text = lines->text();
    const std::size_t at = text.find("job succeeded");
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_EQ(text.find("job succeeded", at + 1), std::string::npos);
    const std::string line = text.substr(at, text.find('\n', at) - at);
    EXPECT_THAT(line,
                testing::MatchesRegex("job succeeded .*job_id=\"" + id.to_string() +
                                      "\" job_type=\"t\" tenant_id=\"" + tenant_.to_string() +
                                      "\" attempt_no=1 trace_id=\"trace-1\" status=\"SUCCEEDED\" "
                                      "duration_ms=[0-9]+"));
    EXPECT_EQ(lines->batches(), 0) << "each batch ends";
}

TEST_F(WorkerRuns, a_job_without_result_stores_null) {
    type("t");
    const Uuid id = enqueue("t");
    Worker worker(options());
    worker.on("t", [](JobContext&) -> Outcome { return Done{}; });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(job(id, "result is null"), "true");
}

TEST_F(WorkerRuns, errors_are_stored_and_logged_without_the_secrets_in_them) {
    const std::string secret = "hunter2-planted";
    const auto lines = std::make_shared<Lines>();
    WorkerOptions with_secret = options();
    with_secret.secrets = {secret};
    with_secret.log = Logger(lines);
    Worker worker(with_secret);
    worker.on("fails", [&](JobContext&) -> Outcome {
        return Fail{JobError("LOGIN_REFUSED", "key " + secret + " is wrong",
                             Json::object({{"sent", "Bearer " + secret}}))};
    });
    worker.on("throws", [&](JobContext&) -> Outcome {
        throw std::runtime_error("cannot sign with " + secret);
    });
    worker.on("stops", [&](JobContext&) -> Outcome { return Cancelled{"found " + secret}; });
    std::vector<Uuid> ids;
    for (const char* name : {"fails", "throws", "stops"}) {
        type(name);
        ids.push_back(enqueue(name, "{}", "p_max_attempts => 1"));
    }
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(ids[0], "FAILED"));
    ASSERT_TRUE(becomes(ids[1], "DEAD_LETTER"));
    ASSERT_TRUE(becomes(ids[2], "CANCELLED"));
    worker.stop();
    worker.wait();
    const std::string stored =
        one("select string_agg(error::text, ' ') from jobforge.attempt_records") +
        one("select string_agg(f::text, ' ') from jobforge.finished_jobs f");
    EXPECT_THAT(stored, AllOf(HasSubstr("key [redacted] is wrong"), HasSubstr("Bearer [redacted]"),
                              HasSubstr("cannot sign with [redacted]"),
                              HasSubstr("found [redacted]"), Not(HasSubstr(secret))));
    EXPECT_THAT(lines->text(), AllOf(HasSubstr("job failed"), Not(HasSubstr(secret))));
}

TEST_F(WorkerRuns, a_retry_waits_for_its_backoff_and_runs_again) {
    type("t");
    const Uuid id = enqueue("t");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        if (context.job().attempt_no == 1) {
            return Retry{JobError("SMTP_REFUSED", "not now", Json::object({{"port", 25}}))};
        }
        return Done{};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(attempts(id), "RETRY,SUCCEEDED");
    EXPECT_EQ(one("select error::text from jobforge.attempt_records limit 1"),
              R"({"code": "SMTP_REFUSED", "details": {"port": 25}, "message": "not now", )"
              R"("retryable": true})");
    EXPECT_EQ(worker.numbers().retried, 1U);
    EXPECT_EQ(one("select f.started_at >= f.scheduled_at and "
                  "extract(epoch from (f.scheduled_at - a.ended_at)) between 0.99 and 1.2 "
                  "from jobforge.finished_jobs f join jobforge.attempt_records a using (job_id)"),
              "true")
        << "the first backoff is a second and up to a tenth of it by chance";
}

TEST_F(WorkerRuns, the_last_attempt_ends_in_the_dead_letter) {
    type("t");
    const Uuid id = enqueue("t", "{}", "p_max_attempts => 1");
    Worker worker(options());
    worker.on("t", [](JobContext&) -> Outcome { return Retry{JobError("X", "never")}; });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "DEAD_LETTER"));
    EXPECT_TRUE(wait_until([&] { return worker.numbers().dead_lettered == 1; }));
}

TEST_F(WorkerRuns, a_failure_is_final_although_attempts_are_left) {
    type("t");
    const Uuid id = enqueue("t");
    Worker worker(options());
    worker.on("t", [](JobContext&) -> Outcome { return Fail{JobError("BAD", "wrong")}; });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "FAILED"));
    EXPECT_EQ(job(id, "last_error ->> 'code'"), "BAD");
    EXPECT_EQ(job(id, "attempts"), "1");
}

TEST_F(WorkerRuns, a_snoozed_job_comes_back_with_the_same_attempt) {
    type("t");
    const Uuid id = enqueue("t");
    std::atomic<int> runs = 0;
    Worker worker(options());
    worker.on("t", [&](JobContext& context) -> Outcome {
        EXPECT_EQ(context.job().attempt_no, 1);
        return ++runs == 1 ? Outcome(Snooze{50ms}) : Outcome(Done{});
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(attempts(id), "SNOOZED,SUCCEEDED");
    EXPECT_EQ(job(id, "attempts"), "1");
}

TEST_F(WorkerRuns, a_handler_may_cancel_its_job) {
    type("t");
    const Uuid id = enqueue("t");
    Worker worker(options());
    worker.on("t", [](JobContext&) -> Outcome { return Cancelled{"the order is gone"}; });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "CANCELLED"));
    EXPECT_EQ(job(id, "last_error ->> 'message'"), "the order is gone");
    EXPECT_TRUE(wait_until([&] { return worker.numbers().cancelled == 1; }));
}

struct Email {
    std::string to;
    static Result<Email> from_json(const Json& json) {
        const Json* to = json.find("to");
        if (to == nullptr || to->as_string() == nullptr) {
            return Error::of(ErrorCode::VALIDATION_ERROR, "\"to\" must be a string");
        }
        return Email{*to->as_string()};
    }
};

TEST_F(WorkerRuns, typed_payloads_and_refuses_those_that_do_not_fit) {
    type("mail");
    const Uuid good = enqueue("mail", R"({"to": "a@b.c"})");
    const Uuid bad = enqueue("mail", R"({"to": 7})");
    Worker worker(options());
    worker.on<Email>(
        "mail", [](JobContext&, const Email& email) -> Outcome { return Done{Json(email.to)}; });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(good, "SUCCEEDED"));
    ASSERT_TRUE(becomes(bad, "FAILED"));
    EXPECT_EQ(job(bad, "last_error ->> 'code'"), "JOB_PAYLOAD_INVALID");
    EXPECT_EQ(job(bad, "last_error ->> 'message'"), "\"to\" must be a string");
}

TEST_F(WorkerRuns, on_whatever_a_handler_throws) {
    type("t");
    const Uuid standard = enqueue("t", R"({"n": 1})", "p_max_attempts => 1");
    const Uuid number = enqueue("t", R"({"n": 2})", "p_max_attempts => 1");
    const Uuid garbled = enqueue("t", R"({"n": 3})", "p_max_attempts => 1");
    const Uuid fine = enqueue("t", R"({"n": 4})");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        switch (*context.job().payload.find("n")->as_int64()) {
            case 1:
                throw std::runtime_error("disk on fire");
            case 2:
                throw 7;
            case 3:
                throw std::runtime_error(std::string("nul \0 and \xff", 11));
            default:
                return Done{};
        }
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(standard, "DEAD_LETTER"));
    ASSERT_TRUE(becomes(number, "DEAD_LETTER"));
    ASSERT_TRUE(becomes(garbled, "DEAD_LETTER"));
    ASSERT_TRUE(becomes(fine, "SUCCEEDED"));
    EXPECT_EQ(job(standard, "last_error ->> 'message'"), "disk on fire");
    EXPECT_EQ(job(standard, "last_error ->> 'code'"), "INTERNAL_ERROR");
    EXPECT_THAT(job(number, "last_error ->> 'message'"), HasSubstr("not a std::exception"));
}

TEST_F(WorkerRuns, the_neighbours_of_a_result_that_cannot_be_stored) {
    type("t");
    const Uuid bad = enqueue("t", R"({"n": 1})");
    const Uuid good = enqueue("t", R"({"n": 2})");
    std::latch both(2);
    Worker worker(options());
    worker.on("t", [&](JobContext& context) -> Outcome {
        both.arrive_and_wait();
        const bool first = *context.job().payload.find("n")->as_int64() == 1;
        // JSON that numeric cannot hold.
        return Done{first ? *Json::number("1e999999") : Json(1)};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(good, "SUCCEEDED"));
    ASSERT_TRUE(becomes(bad, "FAILED"));
    EXPECT_EQ(job(bad, "last_error ->> 'code'"), "VALIDATION_ERROR");
}

TEST_F(WorkerRuns, past_its_time_limit_an_attempt_has_failed) {
    type("t", "timeout_seconds = 1");
    const Uuid id = enqueue("t", "{}", "p_max_attempts => 1");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        wait_for_stop(context);
        EXPECT_EQ(context.stop_reason(), StopReason::timeout);
        return Done{};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "DEAD_LETTER"));
    EXPECT_EQ(job(id, "last_error ->> 'code'"), "TIMEOUT");
}

TEST_F(WorkerRuns, at_most_as_many_of_a_type_at_once_as_its_own_limit_allows) {
    type("few");
    type("many");
    enqueue_many("few", 12);
    enqueue_many("many", 12);
    std::atomic<int> now = 0;
    std::atomic<int> most = 0;
    Worker worker(options());
    worker.on("few",
              [&](JobContext& context) -> Outcome {
                  const int running = ++now;
                  int seen = most.load();
                  while (running > seen && !most.compare_exchange_weak(seen, running)) {
                  }
                  work_for(context, 5ms);
                  --now;
                  return Done{};
              },
              {.concurrency = 2});
    worker.on("many", [](JobContext&) -> Outcome { return Done{}; });
    expect_ok(worker.start());
    EXPECT_TRUE(wait_until([&] { return worker.numbers().succeeded == 24; }));
    EXPECT_EQ(most, 2);
}

TEST_F(WorkerRuns, a_job_at_its_time_and_not_before) {
    type("t");
    Worker worker(options());
    worker.on("t", [](JobContext&) -> Outcome { return Done{}; });
    expect_ok(worker.start());
    const Uuid id = enqueue("t", "{}", "p_scheduled_at => clock_timestamp() + interval '300 ms'");
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(job(id, "started_at >= scheduled_at"), "true");
    EXPECT_EQ(job(id, "started_at < scheduled_at + interval '5 s'"), "true");
}

TEST_F(WorkerRuns, a_hundred_thousand_queued_jobs_each_once) {
    type("t");
    for (int i = 0; i < 100; ++i) {
        enqueue_many("t", 1000);
    }
    WorkerOptions wide = options();
    wide.slots = 16;
    std::atomic<int> runs = 0;
    Worker worker(wide);
    worker.on("t", [&](JobContext&) -> Outcome {
        ++runs;
        return Done{};
    });
    expect_ok(worker.start());
    EXPECT_TRUE(wait_until([&] { return worker.numbers().succeeded == 100'000; }, 90s));
    EXPECT_EQ(runs, 100'000);
    EXPECT_EQ(one("select count(*) from jobforge.finished_jobs where status = 'SUCCEEDED'"),
              "100000");
    EXPECT_EQ(one("select count(*) from jobforge.jobs"), "0");
}

TEST_F(WorkerRuns, a_payload_and_a_result_of_a_mebibyte) {
    type("t");
    const std::string text(1 << 20, 'x');
    const Uuid id = enqueue("t", R"({"text": ")" + text + R"("})");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        return Done{*context.job().payload.find("text")};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(one("select length(content) from jobforge.artifacts a join jobforge.finished_jobs f "
                  "on f.result_ref = a.sha256"),
              std::to_string(text.size() + 2));
}

TEST_F(WorkerRuns, slow_neighbours_do_not_hold_up_tiny_jobs) {
    type("t");
    for (int i = 0; i < 500; ++i) {
        enqueue("t", R"({"slow": false})");
    }
    const Uuid slow = enqueue("t", R"({"slow": true})");
    for (int i = 0; i < 500; ++i) {
        enqueue("t", R"({"slow": false})");
    }
    std::latch others_done(1);
    Worker worker(options());
    worker.on("t", [&](JobContext& context) -> Outcome {
        if (*context.job().payload.find("slow")->as_bool()) {
            others_done.wait();
        }
        return Done{};
    });
    expect_ok(worker.start());
    EXPECT_TRUE(wait_until([&] { return worker.numbers().succeeded == 1000; }));
    others_done.count_down();
    EXPECT_TRUE(becomes(slow, "SUCCEEDED"));
}

}  // namespace
}  // namespace jobforge::test
