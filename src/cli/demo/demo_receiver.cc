#include "cli/demo/demo_receiver.h"

#include "base/crypto/hash.h"
#include "base/crypto/hmac.h"

namespace jobforge::cli {

Result<std::unique_ptr<DemoReceiver>> DemoReceiver::start() {
    std::unique_ptr<DemoReceiver> made(new DemoReceiver());
    auto server = DemoServer::start([receiver = made.get()](const std::string& request) {
        return demo_answer(receiver->accept_one(request) ? "200 OK" : "401 Unauthorized");
    });
    if (!server.ok()) {
        return std::move(server).error();
    }
    made->server_ = *std::move(server);
    return made;
}

void DemoReceiver::expect_secret(std::string secret) {
    const std::lock_guard lock(mutex_);
    secret_ = std::move(secret);
}

std::vector<std::string> DemoReceiver::verified() const {
    const std::lock_guard lock(mutex_);
    return verified_;
}

bool DemoReceiver::accept_one(const std::string& request) {
    const std::size_t end = request.find("\r\n\r\n");
    if (end == std::string::npos) {
        return false;
    }
    const std::string_view body = std::string_view(request).substr(end + 4);
    const std::lock_guard lock(mutex_);
    const std::string expected = "sha256=" + hex_encode(hmac_sha256(secret_, body));
    if (secret_.empty() || demo_header(request, "X-BPC-Signature") != expected) {
        ++refused_;
        return false;
    }
    verified_.emplace_back(demo_header(request, "X-BPC-Event-Type"));
    return true;
}

}  // namespace jobforge::cli
