// Job types to try the engine with: they need no code of anybody's.
#pragma once

#include <jobforge/worker.h>

namespace jobforge::cli {

// test.echo    returns its payload
// test.sleep   {"seconds": n}, at most 86400; asked to stop, it answers Retry, or Cancelled;
//              {"deaf": true} ignores the request, as code in a foreign call does
// test.fail    {"times": n} fails on attempts 1..n, then succeeds; {"permanent": true}: FAILED
// test.crash   {"signal": "KILL" | "SEGV" | "ABRT" | "BUS" | "ILL" | "FPE"} ends this process;
//              {"once": true} on attempt 1 only
// A payload that does not fit is JOB_PAYLOAD_INVALID.
void add_builtin_handlers(Worker& worker);

}  // namespace jobforge::cli
