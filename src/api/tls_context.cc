#include "api/asio_warnings.h"
// asio_warnings.h comes first.
#include "api/tls_context.h"

#include <openssl/ssl.h>

#include <string_view>

#include <fmt/format.h>

namespace jobforge::api {

namespace {

namespace ssl = boost::asio::ssl;
using Fault = boost::system::error_code;

// A client that offers protocols but not ours is told so instead of being misunderstood later.
int choose_protocol(SSL* /*ssl*/, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned offered_size, void* /*context*/) {
    static constexpr unsigned char kOurs[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    unsigned char* chosen = nullptr;
    if (SSL_select_next_proto(&chosen, out_size, kOurs, sizeof kOurs, offered, offered_size) !=
        OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

Error unusable(std::string_view what, const std::string& file, const Fault& fault) {
    return Error::of(ErrorCode::CONFIG_MISSING,
                     fmt::format("the TLS {} {} cannot be used: {}", what, file, fault.message()));
}

}  // namespace

Result<std::shared_ptr<ssl::context>> load_tls_context(const std::string& certificate_file,
                                                       const std::string& key_file) {
    auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
    SSL_CTX* native = context->native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // An idle connection needs no record buffers: 34 KiB each, times thousands.
    SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_alpn_select_cb(native, choose_protocol, nullptr);
    Fault fault;
    if (context->use_certificate_chain_file(certificate_file, fault)) {
        return unusable("certificate", certificate_file, fault);
    }
    // Also compares the key with the certificate.
    if (context->use_private_key_file(key_file, ssl::context::pem, fault)) {
        return unusable("key", key_file, fault);
    }
    return context;
}

}  // namespace jobforge::api
