#include "tls_client.h"

#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

namespace jobforge::test {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File create(const std::string& path) {
    return {std::fopen(path.c_str(), "w"), &std::fclose};
}

void require(bool good, const char* what) {
    if (!good) {
        throw std::runtime_error(what);
    }
}

}  // namespace

void write_certificate(const std::string& certificate_file, const std::string& key_file,
                       const std::string& common_name, Validity validity, KeyKind kind) {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
        kind == KeyKind::rsa ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256"), &EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), &X509_free);
    X509* x509 = certificate.get();
    require(key != nullptr && x509 != nullptr, "no key");
    ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509), validity.from);
    X509_gmtime_adj(X509_getm_notAfter(x509), validity.to);
    X509_set_pubkey(x509, key.get());
    X509_NAME* name = X509_get_subject_name(x509);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                               0);
    X509_set_issuer_name(x509, name);
    require(X509_sign(x509, key.get(), EVP_sha256()) > 0, "not signed");
    require(PEM_write_X509(create(certificate_file).get(), x509) == 1, "no certificate file");
    require(PEM_write_PrivateKey(create(key_file).get(), key.get(), nullptr, nullptr, 0, nullptr,
                                 nullptr) == 1,
            "no key file");
}

TlsConnection::TlsConnection(int port, int max_version, std::string_view alpn,
                             const std::string& ciphers)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      context_(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free),
      ssl_(nullptr, &SSL_free) {
    const timeval limit{20, 0};  // a server that never answers fails the test
    (void)::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        return;
    }
    SSL_CTX_set_security_level(context_.get(), 0);  // old versions are to be refused by the server
    SSL_CTX_set_max_proto_version(context_.get(), max_version);
    if (!ciphers.empty()) {
        require(SSL_CTX_set_cipher_list(context_.get(), ciphers.c_str()) == 1, "no such cipher");
    }
    ssl_.reset(SSL_new(context_.get()));
    if (!alpn.empty()) {
        SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<const unsigned char*>(alpn.data()),
                            static_cast<unsigned>(alpn.size()));
    }
    SSL_set_fd(ssl_.get(), fd_);
    connected_ = SSL_connect(ssl_.get()) == 1;
}

TlsConnection::~TlsConnection() {
    ssl_.reset();
    ::close(fd_);
}

std::string TlsConnection::common_name() const {
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(
        SSL_get1_peer_certificate(ssl_.get()), &X509_free);
    char name[256] = "";
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name,
                              sizeof name);
    return name;
}

std::string TlsConnection::protocol() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
}

std::string TlsConnection::cipher() const {
    return SSL_get_cipher_name(ssl_.get());
}

void TlsConnection::send(std::string_view text) {
    (void)SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size()));
}

bool TlsConnection::receive_until(std::string_view text) {
    while (arrived_.find(text) == std::string::npos) {
        char buffer[65536];
        const int count = SSL_read(ssl_.get(), buffer, sizeof buffer);
        if (count <= 0) {
            return false;
        }
        arrived_.append(buffer, static_cast<std::size_t>(count));
    }
    return true;
}

bool TlsConnection::ends_in_good_order() {
    char buffer[4096];
    int count = 0;
    while ((count = SSL_read(ssl_.get(), buffer, sizeof buffer)) > 0) {
        arrived_.append(buffer, static_cast<std::size_t>(count));
    }
    return SSL_get_error(ssl_.get(), count) == SSL_ERROR_ZERO_RETURN;
}

}  // namespace jobforge::test
