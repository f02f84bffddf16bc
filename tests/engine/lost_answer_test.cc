// The connection breaks exactly between a commit and its answer, or just before the server sees the
// statement. Nobody can tell the two apart at that moment: nothing may be lost, nothing done twice.
#include <jobforge/client.h>
#include <jobforge/worker.h>

#include <atomic>

#include "wire_proxy.h"
#include "worker_world.h"

namespace jobforge::test {
namespace {

using Lost = WireProxy::Lost;

class LostAnswer : public WorkerWorld {
protected:
    LostAnswer() : proxy_(database_.url()) {}

    [[nodiscard]] Client client() const {
        auto client = Client::connect(
            {.database_url = proxy_.url(database_.url()), .tenant_id = tenant_, .pool_size = 1});
        EXPECT_TRUE(client.ok()) << (client.ok() ? "" : client.error().describe());
        return *std::move(client);
    }
    static NewJob echo(std::optional<std::string> key) {
        return {.type = "test.echo",
                .payload = Json::object({{"n", 1}}),
                .idempotency_key = std::move(key)};
    }
    std::string jobs() { return one("select count(*) from jobforge.all_jobs"); }

    // Everything the worker does goes through the proxy.
    [[nodiscard]] WorkerOptions proxied() const {
        WorkerOptions options = this->options();
        options.database_url = proxy_.url(options.database_url);
        return options;
    }
    // A handler that notes its run in its completion transaction.
    static Outcome note(JobContext& context) {
        auto transaction = context.transaction();
        if (!transaction.ok()) {
            return Retry{JobError(transaction.error())};
        }
        auto noted = (*transaction)
                         ->exec("note", "insert into public.effects values ($1::uuid, $2)",
                                {context.job().job_id.to_string(),
                                 std::to_string(context.job().lease_token)});
        return noted.ok() ? Outcome(Done{}) : Outcome(Retry{JobError(noted.error())});
    }
    // The tokens under which the handler's writes were committed.
    std::string effects() { return one("select string_agg(note, ',') from public.effects"); }

    WireProxy proxy_;
};

TEST_F(LostAnswer, a_keyed_enqueue_is_repeated_and_finds_the_job_that_it_made) {
    Client client = this->client();
    proxy_.cut_at("enqueue_job", Lost::answer);
    auto job = client.enqueue(echo("k"));
    ASSERT_TRUE(job.ok()) << job.error().describe();
    EXPECT_EQ(proxy_.cuts(), 1);
    EXPECT_TRUE(job->deduplicated);
    EXPECT_EQ(jobs(), "1");
    EXPECT_EQ(this->job(job->job_id, "idempotency_key"), "k");
}

TEST_F(LostAnswer, a_keyed_enqueue_that_never_arrived_is_repeated_and_makes_the_job) {
    Client client = this->client();
    proxy_.cut_at("enqueue_job", Lost::request);
    auto job = client.enqueue(echo("k"));
    ASSERT_TRUE(job.ok()) << job.error().describe();
    EXPECT_EQ(proxy_.cuts(), 1);
    EXPECT_FALSE(job->deduplicated);
    EXPECT_EQ(jobs(), "1");
}

TEST_F(LostAnswer, a_batch_of_keyed_jobs_is_repeated_as_a_whole) {
    Client client = this->client();
    proxy_.cut_at("enqueue_jobs", Lost::answer);
    const std::vector<NewJob> batch{echo("a"), echo("b"), echo("c")};
    auto made = client.enqueue_many(batch);
    ASSERT_TRUE(made.ok()) << made.error().describe();
    EXPECT_EQ(proxy_.cuts(), 1);
    EXPECT_EQ(made->size(), 3U);
    EXPECT_EQ(jobs(), "3");
}

// Without a key the client must not guess: repeating could make a second job.
TEST_F(LostAnswer, an_enqueue_without_a_key_reports_an_unknown_outcome_and_is_not_repeated) {
    Client client = this->client();
    for (const Lost lost : {Lost::answer, Lost::request}) {
        proxy_.cut_at("enqueue_job", lost);
        auto job = client.enqueue(echo(std::nullopt));
        ASSERT_FALSE(job.ok());
        EXPECT_EQ(job.error().code, ErrorCode::DB_UNAVAILABLE);
        EXPECT_TRUE(job.error().outcome_unknown);
        EXPECT_TRUE(job.error().connection_lost);
        EXPECT_EQ(jobs(), "1");  // of the first round: committed, and only its answer was lost
    }
    EXPECT_EQ(proxy_.cuts(), 2);
    EXPECT_TRUE(client.enqueue(echo(std::nullopt)).ok());  // and goes on
}

TEST_F(LostAnswer, a_cancel_is_repeated_because_it_says_the_same_twice) {
    Client client = this->client();
    const Uuid id = client.enqueue(echo(std::nullopt))->job_id;
    proxy_.cut_at("cancel_job", Lost::answer);
    expect_ok(client.cancel(id, "unwanted"));
    EXPECT_EQ(proxy_.cuts(), 1);
    EXPECT_EQ(job(id, "status"), "CANCELLED");
}

TEST_F(LostAnswer, a_batched_completion_is_sent_again_and_found_settled) {
    type("t");
    const Uuid id = enqueue("t");
    std::atomic<int> runs = 0;
    Worker worker(proxied());
    worker.on("t", [&](JobContext&) -> Outcome { return Done{Json(++runs)}; });
    proxy_.cut_at("complete_jobs", Lost::answer);
    expect_ok(worker.start());
    ASSERT_TRUE(wait_until([&] { return worker.numbers().succeeded == 1; }));
    EXPECT_EQ(proxy_.cuts(), 1);
    EXPECT_EQ(worker.numbers().leases_lost, 0U);
    EXPECT_EQ(job(id, "status || ' ' || attempts"), "SUCCEEDED 1");
    EXPECT_EQ(attempts(id), "SUCCEEDED");
    EXPECT_EQ(runs, 1);
}

TEST_F(LostAnswer, a_batched_completion_that_never_arrived_is_sent_again) {
    type("t");
    const Uuid id = enqueue("t");
    Worker worker(proxied());
    worker.on("t", [](JobContext&) -> Outcome { return Done{}; });
    proxy_.cut_at("complete_jobs", Lost::request);
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(proxy_.cuts(), 1);
    EXPECT_EQ(attempts(id), "SUCCEEDED");
}

TEST_F(LostAnswer, a_retry_is_charged_once) {
    type("t");
    const Uuid id = enqueue("t", "{}", "p_max_attempts => 2");
    Worker worker(proxied());
    worker.on("t", [](JobContext&) -> Outcome {
        return Retry{JobError("AGAIN", "later"), std::chrono::hours(1)};
    });
    proxy_.cut_at("fail_jobs", Lost::answer);
    expect_ok(worker.start());
    ASSERT_TRUE(wait_until([&] { return worker.numbers().retried == 1; }));
    EXPECT_EQ(proxy_.cuts(), 1);
    EXPECT_EQ(job(id, "status || ' ' || attempts"), "QUEUED 1");
    EXPECT_EQ(attempts(id), "RETRY");
}

TEST_F(LostAnswer, a_completion_transaction_that_did_commit_is_found_settled) {
    type("t");
    const Uuid id = enqueue("t");
    Worker worker(proxied());
    worker.on("t", note);
    proxy_.cut_at("complete_job", Lost::answer);
    expect_ok(worker.start());
    ASSERT_TRUE(wait_until([&] { return worker.numbers().succeeded == 1; }));
    EXPECT_EQ(proxy_.cuts(), 1);
    EXPECT_EQ(worker.numbers().leases_lost + worker.numbers().retried, 0U);
    EXPECT_EQ(attempts(id), "SUCCEEDED");
    EXPECT_EQ(effects(), "1");
}

TEST_F(LostAnswer, a_completion_transaction_that_did_not_commit_runs_again_and_writes_once) {
    type("t", "backoff = 'jobforge', backoff_jitter = 0");
    const Uuid id = enqueue("t");
    Worker worker(proxied());
    worker.on("t", note);
    proxy_.cut_at("complete_job", Lost::request);
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(proxy_.cuts(), 1);
    EXPECT_EQ(attempts(id), "RETRY,SUCCEEDED");
    EXPECT_EQ(effects(), "2");
}

// The claim is committed, and the worker does not know what it holds: like a crash, one lease long.
TEST_F(LostAnswer, a_claim_whose_answer_is_lost_is_taken_back_after_its_lease) {
    type("t", "lease_seconds = 2");
    const Uuid id = enqueue("t");
    Worker worker(proxied());
    worker.on("t", note);
    proxy_.cut_at("claim_jobs", Lost::answer);
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(proxy_.cuts(), 1);
    EXPECT_EQ(attempts(id), "CRASHED,SUCCEEDED");
    EXPECT_EQ(effects(), "2");
}

}  // namespace
}  // namespace jobforge::test
