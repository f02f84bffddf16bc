// One server process is stuck while its server lives: the worker gets its slot back.
#include <atomic>
#include <csignal>
#include <optional>

#include <fmt/format.h>

#include "engine/worker/worker_runtime.h"
#include "worker_world.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;

// Stops a server process; it goes on at the end, or when it is let go.
class Stopped final {
public:
    explicit Stopped(pid_t backend) : backend_(backend) { EXPECT_EQ(::kill(backend_, SIGSTOP), 0); }
    Stopped(const Stopped&) = delete;
    Stopped& operator=(const Stopped&) = delete;
    ~Stopped() { ::kill(backend_, SIGCONT); }

private:
    const pid_t backend_;
};

// With one slot and one connection for its handlers: a job that runs shows that both are free.
class StuckBackend : public WorkerWorld {
protected:
    static constexpr auto kLongestCall = 3s;

    ~StuckBackend() override {
        if (runtime_) {
            runtime_->drain();
        }
    }
    void on(const std::string& name, Handler handler) {
        type(name, "backoff_base_seconds = 1");
        EXPECT_TRUE(types_.add(name, std::move(handler), {}));
    }
    void start() {
        WorkerOptions narrow = options();
        narrow.worker_id = "narrow";
        narrow.slots = 1;
        narrow.pool_size = 1;
        runtime_.emplace(narrow, types_, kLongestCall);
        expect_ok(runtime_->start());
    }
    static Result<TextRows> note(JobContext& context) {
        auto transaction = context.transaction();
        if (!transaction) {
            return transaction.error();
        }
        return (*transaction)
            ->exec("note",
                   "insert into public.effects values ($1::uuid, 'once') "
                   "returning pg_backend_pid()",
                   {context.job().job_id.to_string()});
    }
    static Outcome done(JobContext& context) {
        auto noted = note(context);
        return noted ? Outcome(Done{}) : Outcome(Retry{noted.error()});
    }
    // The handlers' connection, which waits in the pool.
    [[nodiscard]] int idle_backend() {
        const std::string pid =
            "select pid from pg_stat_activity where datname = current_database() and "
            "application_name = 'jobforge worker handler' and state = 'idle'";
        EXPECT_TRUE(wait_until([&] { return !one(pid).empty(); }));
        return std::stoi(one(pid));
    }

    engine::JobTypes types_;
    std::optional<engine::WorkerRuntime> runtime_;
    std::optional<Stopped> stopped_;
};

TEST_F(StuckBackend, in_a_commit_costs_an_attempt_and_not_the_slot) {
    std::atomic<int> backend = 0;
    on("t", done);
    on("stuck", [&](JobContext& context) -> Outcome {
        auto noted = note(context);
        if (noted && context.job().attempt_no == 1) {
            backend = std::stoi(*noted->rows[0][0]);
            stopped_.emplace(backend);
        }
        return noted ? Outcome(Done{}) : Outcome(Retry{noted.error()});
    });
    start();
    const Uuid stuck = enqueue("stuck");
    ASSERT_TRUE(wait_until([&] { return attempts(stuck).starts_with("RETRY"); }));
    EXPECT_TRUE(becomes(enqueue("t"), "SUCCEEDED"));
    // It reads its COMMIT now: too late.
    stopped_.reset();
    EXPECT_TRUE(wait_until([&] {
        return one(fmt::format("select count(*) from pg_stat_activity where pid = {}",
                               backend.load())) == "0";
    }));
    EXPECT_TRUE(becomes(stuck, "SUCCEEDED"));
    EXPECT_EQ(attempts(stuck), "RETRY,SUCCEEDED");
    EXPECT_EQ(one("select count(*) from public.effects where job_id = '" + stuck.to_string() + "'"),
              "1");
}

TEST_F(StuckBackend, in_a_begin_is_left_for_another_one) {
    on("t", done);
    start();
    ASSERT_TRUE(becomes(enqueue("t"), "SUCCEEDED"));
    stopped_.emplace(idle_backend());
    const Uuid id = enqueue("t");
    EXPECT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(attempts(id), "SUCCEEDED");
}

TEST_F(StuckBackend, with_a_payload_is_left_for_another_one) {
    on("t", done);
    start();
    ASSERT_TRUE(becomes(enqueue("t"), "SUCCEEDED"));
    stopped_.emplace(idle_backend());
    const Uuid id = enqueue("t", fmt::format(R"({{"x": "{}"}})", std::string(300000, 'x')));
    EXPECT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(attempts(id), "SUCCEEDED");
}

TEST_F(StuckBackend, is_not_what_a_long_statement_of_a_handler_is_taken_for) {
    on("t", [](JobContext& context) -> Outcome {
        auto slept = (*context.transaction())->exec("slow", "select pg_sleep(4)", {});
        return slept ? Outcome(Done{}) : Outcome(Retry{slept.error()});
    });
    start();
    const Uuid id = enqueue("t");
    EXPECT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(attempts(id), "SUCCEEDED");
}

}  // namespace
}  // namespace jobforge::test
