// A TLS client that tells whose certificate it saw, and certificates to be seen.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

namespace jobforge::test {

// When a certificate is valid, in seconds from now.
struct Validity {
    long from = -3600;
    long to = 3600;
};

enum class KeyKind { elliptic, rsa };

// Writes a new key and a certificate for it, signed by itself, as PEM files.
void write_certificate(const std::string& certificate_file, const std::string& key_file,
                       const std::string& common_name, Validity validity = {},
                       KeyKind kind = KeyKind::elliptic);

class TlsConnection final {
public:
    // Connects and shakes hands; believes every certificate. `max_version`: 0 for the newest.
    // `ciphers`: of TLS 1.2, as OpenSSL names them; "": its default.
    explicit TlsConnection(int port, int max_version = 0, std::string_view alpn = {},
                           const std::string& ciphers = {});
    TlsConnection(const TlsConnection&) = delete;
    TlsConnection& operator=(const TlsConnection&) = delete;
    ~TlsConnection();

    [[nodiscard]] bool connected() const noexcept { return connected_; }
    [[nodiscard]] std::string common_name() const;  // of the server's certificate
    [[nodiscard]] std::string protocol() const;     // what ALPN chose
    [[nodiscard]] std::string cipher() const;       // what the two agreed on
    void send(std::string_view text);
    // Until `text` has come; false if the server closed before.
    [[nodiscard]] bool receive_until(std::string_view text);
    // True if the server ends with close_notify: nothing was cut off.
    [[nodiscard]] bool ends_in_good_order();
    [[nodiscard]] const std::string& arrived() const noexcept { return arrived_; }

private:
    int fd_;
    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
    std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
    bool connected_ = false;
    std::string arrived_;
};

}  // namespace jobforge::test
