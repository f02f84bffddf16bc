// A flush is several calls in one transaction, and a repetition of some of its outcomes does not
// keep the others from being settled.
#include "engine/settle/settle_calls.h"

#include <fmt/format.h>

#include <array>

#include "worker_world.h"

namespace jobforge::test {
namespace {

using engine::HeldJob;
using engine::OnLocked;
using engine::SettleCalls;
using engine::Settlement;
using engine::Verdict;

constexpr char kError[] = R"({"code": "X", "message": "m"})";

class SettlingCalls : public WorkerWorld {
protected:
    SettlingCalls() { type("t"); }

    void claim(HeldJob& held) {
        const Uuid id = enqueue("t");
        held.tenant_id = tenant_;
        held.job_id = id;
        held.lease_token = 1;
        held.claim_id =
            *Uuid::parse(one("select claim_id from jobforge.claim_jobs('w', 1, '{t}')"));
    }
    SettleCalls::Refusal settle(const std::vector<Settlement>& batch, std::size_t asked) {
        const std::string worker = "w";  // the calls refer to it
        SettleCalls calls(worker, batch);
        expect_ok(calls.run(admin_, OnLocked::wait));
        return calls.refusal(asked);
    }
};

TEST_F(SettlingCalls, a_repetition_beside_new_outcomes_is_reported_and_the_new_ones_are_settled) {
    const std::array<Verdict, 5> verdicts = {Verdict::done, Verdict::retry, Verdict::snooze,
                                             Verdict::release, Verdict::cancelled};
    const auto settlement = [](HeldJob& job, Verdict verdict) {
        const bool has_error = verdict == Verdict::retry || verdict == Verdict::cancelled;
        return Settlement{.job = &job,
                          .verdict = verdict,
                          .json = has_error ? kError : "",
                          .seconds = verdict == Verdict::done ? std::nullopt : std::optional(60.0)};
    };
    for (const Verdict repeated : verdicts) {
        for (const Verdict fresh : verdicts) {
            run("delete from jobforge.jobs");
            HeldJob first;
            claim(first);
            EXPECT_EQ(settle({settlement(first, repeated)}, 0), SettleCalls::Refusal::none);
            run("update jobforge.jobs set scheduled_at = '2100-01-01'");
            HeldJob second;
            claim(second);
            const std::vector<Settlement> batch = {settlement(first, repeated),
                                                   settlement(second, fresh)};
            const auto which = fmt::format("repeated {}, new {}", static_cast<int>(repeated),
                                           static_cast<int>(fresh));
            EXPECT_EQ(settle(batch, 0), SettleCalls::Refusal::settled) << which;
            EXPECT_NE(job(second.job_id, "status"), "RUNNING") << which;
        }
    }
}

}  // namespace
}  // namespace jobforge::test
