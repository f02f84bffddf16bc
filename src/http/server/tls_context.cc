#include "http/server/asio_warnings.h"
// asio_warnings.h comes first.
#include "http/server/tls_context.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace jobforge::http {

namespace {

namespace ssl = boost::asio::ssl;
using Fault = boost::system::error_code;

// Of TLS 1.2: keys that are forgotten after the connection, and encryption that is authenticated.
// Without it a stolen key opens recorded connections (RSA key exchange), and CBC has had one
// padding oracle after the other. All of TLS 1.3 is like that.
constexpr const char* kCiphersOf12 = "ECDHE+AESGCM:ECDHE+CHACHA20";

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

// Clients would refuse it one by one; the operator should hear of it at once.
Status check_dates(SSL_CTX* native, const std::string& file) {
    const X509* leaf = SSL_CTX_get0_certificate(native);
    const bool expired = X509_cmp_current_time(X509_get0_notAfter(leaf)) < 0;
    if (!expired && X509_cmp_current_time(X509_get0_notBefore(leaf)) < 0) {
        return ok_status();
    }
    return Error::of(ErrorCode::CONFIG_MISSING,
                     fmt::format("the TLS certificate {} cannot be used: it {}", file,
                                 expired ? "has expired" : "is not valid yet"));
}

}  // namespace

Result<std::shared_ptr<ssl::context>> load_tls_context(const std::string& certificate_file,
                                                       const std::string& key_file) {
    auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
    SSL_CTX* native = context->native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    if (SSL_CTX_set_cipher_list(native, kCiphersOf12) != 1) {
        return Error::of(ErrorCode::CONFIG_MISSING, "OpenSSL has none of our TLS 1.2 ciphers");
    }
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
    if (Status dates = check_dates(native, certificate_file); !dates.ok()) {
        return std::move(dates).error();
    }
    return context;
}

}  // namespace jobforge::http
