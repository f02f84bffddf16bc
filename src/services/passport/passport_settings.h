// What the passport handlers need from their deployment. Read once, shared by all threads.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "passport/compile.h"
#include "services/secrets/signing_keys.h"

namespace jobforge::connect {
class TenantSlots;
class Transport;
}  // namespace jobforge::connect

namespace jobforge::services {

class SecretBox;

struct PassportSettings {
    std::string database_url;  // for what handlers read outside of their transaction
    std::string build_id;      // compiler_build_id of receipts
    passport::CompileLimits limits;
    std::string qr_base_url;  // empty: the QR code says BPC1|...
    bool https_only = false;  // refuse webhook endpoints without TLS
    std::chrono::seconds webhook_timeout{30};
    bool signs = true;  // handles SIGN_PASSPORT
    std::shared_ptr<const SigningKeys> signing_keys;
    std::shared_ptr<const SecretBox> secrets;  // null: webhooks cannot be signed
    std::shared_ptr<connect::Transport> http;  // null: webhooks cannot be sent
    // Outgoing calls at once, shared by tenants and by all that calls out; null: no limit.
    std::shared_ptr<connect::TenantSlots> calls;
};

}  // namespace jobforge::services
