// Under which name a source's answers are kept. Pure.
#pragma once

#include <string>

#include <jobforge/json.h>
#include <jobforge/uuid.h>

#include "services/prices/source_url.h"

namespace jobforge::services {

// Everything that decides what a source answers, and nothing else: the tenant, the source, how it
// is asked (base_url, config and allowed_path), and year, mintmark, denomination, series, title and
// keywords of the intake. Written as a JSON list, so that no text can pretend to be two. Intakes
// that ask the same question share the answer; what depends on the rest of them (match, filters,
// condition) is computed for each. Texts are compared as they are: "s" and "S" are two questions,
// because an API may think so.
[[nodiscard]] std::string cache_key(const Uuid& tenant, const Uuid& source, const Json& how,
                                    const Query& query);

}  // namespace jobforge::services
