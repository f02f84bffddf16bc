#include "cli/serve/builtin_handlers.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <condition_variable>
#include <csignal>
#include <mutex>

#include <fmt/format.h>

namespace jobforge::cli {

namespace {

constexpr double kLongestSleep = 86400;

Error bad_payload(std::string message) {
    return Error::of(ErrorCode::JOB_PAYLOAD_INVALID, std::move(message));
}

Result<bool> flag_of(const Json& payload, std::string_view key) {
    const Json* value = payload.find(key);
    if (value == nullptr) {
        return false;
    }
    const auto flag = value->as_bool();
    if (!flag) {
        return bad_payload(fmt::format("\"{}\" must be true or false", key));
    }
    return *flag;
}

struct SleepPayload {
    std::chrono::microseconds time{0};
    bool deaf = false;

    [[nodiscard]] static Result<SleepPayload> from_json(const Json& payload) {
        const Json* value = payload.find("seconds");
        const auto text =
            value == nullptr ? std::optional<std::string_view>("0") : value->number_text();
        double seconds = -1;
        if (text) {
            std::from_chars(text->data(), text->data() + text->size(), seconds);
        }
        if (seconds < 0 || seconds > kLongestSleep) {
            return bad_payload("\"seconds\" must be a number from 0 to 86400");
        }
        auto deaf = flag_of(payload, "deaf");
        if (!deaf.ok()) {
            return std::move(deaf).error();
        }
        return SleepPayload{std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6)),
                            *deaf};
    }
};

struct FailPayload {
    std::int64_t times = 1;
    bool permanent = false;

    [[nodiscard]] static Result<FailPayload> from_json(const Json& payload) {
        FailPayload out;
        if (const Json* value = payload.find("times"); value != nullptr) {
            const auto times = value->as_int64();
            if (!times || *times < 0) {
                return bad_payload("\"times\" must be a whole number from 0");
            }
            out.times = *times;
        }
        auto permanent = flag_of(payload, "permanent");
        if (!permanent.ok()) {
            return std::move(permanent).error();
        }
        out.permanent = *permanent;
        return out;
    }
};

struct CrashPayload {
    int signal = SIGKILL;
    bool once = false;

    [[nodiscard]] static Result<CrashPayload> from_json(const Json& payload) {
        static constexpr std::array<std::pair<std::string_view, int>, 6> kSignals{
            {{"KILL", SIGKILL},
             {"SEGV", SIGSEGV},
             {"ABRT", SIGABRT},
             {"BUS", SIGBUS},
             {"ILL", SIGILL},
             {"FPE", SIGFPE}}};
        CrashPayload out;
        if (const Json* value = payload.find("signal"); value != nullptr) {
            const std::string* name = value->as_string();
            out.signal = 0;
            for (const auto& [known, number] : kSignals) {
                if (name != nullptr && *name == known) {
                    out.signal = number;
                }
            }
            if (out.signal == 0) {
                return bad_payload("\"signal\" must be KILL, SEGV, ABRT, BUS, ILL or FPE");
            }
        }
        auto once = flag_of(payload, "once");
        if (!once.ok()) {
            return std::move(once).error();
        }
        out.once = *once;
        return out;
    }
};

Outcome sleep_handler(JobContext& context, const SleepPayload& payload) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    // Not notified: it ends with the time or with the stop token.
    const std::stop_token token = payload.deaf ? std::stop_token{} : context.stop_token();
    const bool stopped =
        wake.wait_for(lock, token, payload.time, [&token] { return token.stop_requested(); });
    if (!stopped) {
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(payload.time);
        return Done{Json::object({{"slept_ms", static_cast<std::int64_t>(ms.count())}})};
    }
    if (context.stop_reason() == StopReason::cancelled) {
        return Cancelled{"cancelled while asleep"};
    }
    return Retry{JobError("INTERRUPTED", "woken before the time was over")};
}

Outcome fail_handler(JobContext& context, const FailPayload& payload) {
    const int attempt = context.job().attempt_no;
    if (payload.permanent) {
        return Fail{JobError("TEST_FAILURE", "failed for good, as asked")};
    }
    if (attempt <= payload.times) {
        return Retry{JobError("TEST_FAILURE",
                              fmt::format("failure {} of {}, as asked", attempt, payload.times))};
    }
    return Done{Json::object({{"attempts", attempt}})};
}

Outcome crash_handler(JobContext& context, const CrashPayload& payload) {
    if (!payload.once || context.job().attempt_no == 1) {
        context.log().warn("test.crash kills this process, as asked");
        // A sanitizer or anybody else may catch the signal: the default action is what we want.
        std::signal(payload.signal, SIG_DFL);  // NOLINT(bugprone-unused-return-value,cert-err33-c)
        ::kill(::getpid(), payload.signal);
    }
    return Done{Json::object({{"survived", true}})};
}

}  // namespace

void add_builtin_handlers(Worker& worker) {
    worker.on("test.echo",
              [](JobContext& context) -> Outcome { return Done{context.job().payload}; });
    worker.on<SleepPayload>("test.sleep", sleep_handler);
    worker.on<FailPayload>("test.fail", fail_handler);
    worker.on<CrashPayload>("test.crash", crash_handler);
}

}  // namespace jobforge::cli
