// A source's answers, page by page, with leave of its governor for each.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

#include <jobforge/outcome.h>

#include "base/text/redact.h"
#include "connect/http/governor.h"
#include "connect/http/transport.h"
#include "services/prices/collection.h"
#include "services/prices/source_url.h"

namespace jobforge::services {

// How one source is asked.
struct PageSource {
    HttpJsonConfig config;
    SourceOrigin origin;
    connect::HttpHeaders headers;  // the config's, and the one with the secret
    Redactor redactor;             // knows that secret
    std::chrono::sys_seconds now;  // the database's clock: Retry-After dates are counted from it
    std::string tenant;            // on whose behalf it is asked
};

// Reads from `so_far.next` on, until there is no further page or max_pages are read; each page
// takes a token and is reported. nullopt: `so_far` is complete. Otherwise how the job ends: Snooze
// (no token, breaker open, paused, a shortage of ours: the pages of `so_far` are not lost), Retry,
// or Fail. An answer
// that cannot be used counts against the source like a failed one. No transaction may be open.
[[nodiscard]] std::optional<Outcome> read_pages(const PageSource& source,
                                                connect::Transport& transport,
                                                connect::Governor& governor,
                                                const std::stop_token& stop, Collection& so_far);

}  // namespace jobforge::services
