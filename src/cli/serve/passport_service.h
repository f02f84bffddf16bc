// What the environment says about the passport pipeline, as its handlers and commands take it.
#pragma once

#include <memory>
#include <string>

#include <jobforge/error.h>

#include "cli/context.h"
#include "services/passport/passport_settings.h"
#include "services/secrets/secret_box.h"
#include "services/secrets/signing_keys.h"

namespace jobforge::cli {

// <data>/keys, for its owner only; made if there is none. CONFIG_MISSING.
[[nodiscard]] Result<std::string> keys_directory(const Config& config);
// Whether missing keys are made there: not in prod, where two nodes would make two.
[[nodiscard]] bool may_make_keys(const Config& config);

// The keys of BPC_SIGNING_*; in dev and test, where none is given, one of the data directory, which
// is made if there is none. None at all where that directory cannot be made: what needs a key says
// so then. CONFIG_MISSING, INVALID_SIGNING_KEY.
[[nodiscard]] Result<std::shared_ptr<const services::SigningKeys>> signing_keys(
    const Config& config);
// Under JOBFORGE_MASTER_KEY_BASE64; in dev and test, without one, a key of the data directory. Null
// in prod without one, and where no directory can be made: webhooks are then refused.
[[nodiscard]] Result<std::shared_ptr<const services::SecretBox>> secret_box(const Config& config);

// Whether this process signs passports. A worker that leaves it to others holds no key.
enum class Signing { needed, left_to_others };

// CONFIG_MISSING in prod without a signing key, if it signs.
[[nodiscard]] Result<services::PassportSettings> passport_settings(const Config& config,
                                                                   std::string database_url,
                                                                   Signing signing);

}  // namespace jobforge::cli
