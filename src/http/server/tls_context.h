// The server's certificate and key, read from files.
//
// TLS 1.3, and 1.2 with ECDHE and an AEAD only; no renegotiation, ALPN http/1.1. Only files that
// include Asio include this one.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include <jobforge/error.h>

namespace jobforge::http {

// CONFIG_MISSING if a file cannot be read, is not PEM, the key is not the certificate's, or the
// certificate is not valid now.
[[nodiscard]] Result<std::shared_ptr<boost::asio::ssl::context>> load_tls_context(
    const std::string& certificate_file, const std::string& key_file);

}  // namespace jobforge::http
