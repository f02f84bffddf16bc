// Preloaded into a program (LD_PRELOAD) to give it a wrong wall clock: JOBFORGE_TEST_CLOCK_SKEW
// seconds ahead of everybody else's. Steady clocks are left alone, as on a machine whose clock was
// set wrong before it started.
#include <dlfcn.h>

#include <cstdlib>
#include <ctime>

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
    using Function = int (*)(clockid_t, timespec*);
    static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "clock_gettime"));
    static const char* const skew = std::getenv("JOBFORGE_TEST_CLOCK_SKEW");
    const int answer = real(clock, now);
    if (answer == 0 && clock == CLOCK_REALTIME && skew != nullptr) {
        now->tv_sec += std::atol(skew);
    }
    return answer;
}
