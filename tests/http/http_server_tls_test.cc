// The server with TLS: certificates from files, exchanged while it runs.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "http_server_world.h"
#include "temp_dir.h"
#include "tls_client.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;

struct TlsWorld {
    TempDir directory;
    std::string certificate = directory.path() + "/certificate.pem";
    std::string key = directory.path() + "/key.pem";
    std::unique_ptr<HttpServerWorld> http;

    explicit TlsWorld(const HttpServerWorld::Change& change = {},
                      KeyKind kind = KeyKind::elliptic) {
        write_certificate(certificate, key, "first.example", {}, kind);
        http = std::make_unique<HttpServerWorld>([&](WorldOptions& options) {
            options.tls_certificate_file = certificate;
            options.tls_key_file = key;
            if (change) {
                change(options);
            }
        });
    }
};

TEST(HttpServerTls, serves_requests_large_and_small_and_ends_in_good_order) {
    const TlsWorld world;
    TlsConnection client(world.http->port());
    ASSERT_TRUE(client.connected());
    EXPECT_EQ(client.common_name(), "first.example");
    client.send(request_text("POST", "/echo", {}, "hello") + request_text("GET", "/now"));
    EXPECT_TRUE(client.receive_until("POST /echo hello"));
    EXPECT_TRUE(client.receive_until("\r\n\r\nnow"));
    client.send(request_text("GET", "/large?n=3000000", "Connection: close\r\n"));
    EXPECT_TRUE(client.ends_in_good_order());
    EXPECT_GT(client.arrived().size(), 3'000'000u);
}

TEST(HttpServerTls, new_connections_get_the_reloaded_certificate_and_old_ones_live_on) {
    const TlsWorld world;
    TlsConnection old(world.http->port());
    ASSERT_TRUE(old.connected());
    write_certificate(world.certificate, world.key, "second.example");
    EXPECT_EQ(TlsConnection(world.http->port()).common_name(), "first.example")
        << "files that change take effect when told, not before";
    const Status reloaded = world.http->server->reload_certificate();
    ASSERT_TRUE(reloaded.ok()) << reloaded.error().describe();
    EXPECT_EQ(TlsConnection(world.http->port()).common_name(), "second.example");
    old.send(request_text("GET", "/now"));
    EXPECT_TRUE(old.receive_until("\r\n\r\nnow"));
}

TEST(HttpServerTls, files_that_cannot_be_used_leave_the_old_certificate) {
    const TlsWorld world;
    std::ofstream(world.certificate) << "no certificate";
    const Status broken = world.http->server->reload_certificate();
    ASSERT_FALSE(broken.ok());
    EXPECT_EQ(broken.error().code, ErrorCode::CONFIG_MISSING);
    EXPECT_NE(broken.error().message.find(world.certificate), std::string::npos);
    // A certificate whose key is another one.
    write_certificate(world.certificate, world.directory.path() + "/other_key.pem",
                      "third.example");
    EXPECT_FALSE(world.http->server->reload_certificate().ok());
    EXPECT_EQ(TlsConnection(world.http->port()).common_name(), "first.example");
}

TEST(HttpServerTls, a_certificate_that_is_not_valid_now_leaves_the_old_one) {
    const TlsWorld world;
    const auto reloaded = [&](Validity validity) {
        write_certificate(world.certificate, world.key, "third.example", validity);
        const Status status = world.http->server->reload_certificate();
        return status.ok() ? "" : status.error().message;
    };
    const std::string why = "the TLS certificate " + world.certificate + " cannot be used: it ";
    EXPECT_EQ(reloaded({.from = -7200, .to = -60}), why + "has expired");
    EXPECT_EQ(reloaded({.from = 600, .to = 7200}), why + "is not valid yet");
    EXPECT_EQ(TlsConnection(world.http->port()).common_name(), "first.example");
    EXPECT_EQ(reloaded({}), "");
    EXPECT_EQ(TlsConnection(world.http->port()).common_name(), "third.example");
}

TEST(HttpServerTls, refuses_old_versions_and_foreign_protocols) {
    const TlsWorld world;
    EXPECT_FALSE(TlsConnection(world.http->port(), TLS1_1_VERSION).connected());
    EXPECT_TRUE(TlsConnection(world.http->port(), TLS1_2_VERSION).connected());
    EXPECT_EQ(TlsConnection(world.http->port(), 0, "\x02h2\x08http/1.1").protocol(), "http/1.1");
    EXPECT_FALSE(TlsConnection(world.http->port(), 0, "\x02h2").connected());
    EXPECT_EQ(world.http->ask("/now").status, 0) << "plain HTTP at a TLS port";
    EXPECT_TRUE(TlsConnection(world.http->port()).connected());
}

// Hole 14. Each client offers this cipher and nothing else.
TEST(HttpServerTls, refuses_rsa_key_exchange_and_cbc) {
    const TlsWorld rsa({}, KeyKind::rsa);
    const TlsWorld elliptic;
    const auto offer = [](const TlsWorld& world, const char* cipher) {
        return TlsConnection(world.http->port(), TLS1_2_VERSION, {}, cipher).connected();
    };
    for (const char* refused :
         {"AES128-GCM-SHA256", "AES256-GCM-SHA384", "AES128-SHA", "AES256-SHA256",
          "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA384", "DHE-RSA-AES128-GCM-SHA256"}) {
        EXPECT_FALSE(offer(rsa, refused)) << refused;
    }
    for (const char* refused : {"ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384"}) {
        EXPECT_FALSE(offer(elliptic, refused)) << refused;
    }
    for (const char* served : {"ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384",
                               "ECDHE-RSA-CHACHA20-POLY1305"}) {
        EXPECT_TRUE(offer(rsa, served)) << served;
    }
    EXPECT_TRUE(offer(elliptic, "ECDHE-ECDSA-AES128-GCM-SHA256"));
    EXPECT_EQ(TlsConnection(rsa.http->port()).cipher().substr(0, 4), "TLS_") << "TLS 1.3";
}

TEST(HttpServerTls, tells_clients_to_come_over_tls_from_now_on) {
    const TlsWorld world;
    TlsConnection client(world.http->port());
    client.send(request_text("GET", "/now") + request_text("GET", "/nothing"));
    EXPECT_TRUE(client.receive_until("\r\nStrict-Transport-Security: max-age=31536000\r\n"));
    EXPECT_TRUE(client.receive_until("there is no such path"));
    const HttpServerWorld plain;
    EXPECT_EQ(header_of(plain.ask("/now"), "Strict-Transport-Security"), "");
}

TEST(HttpServerTls, a_handshake_that_does_not_come_is_cut) {
    const TlsWorld world([](WorldOptions& options) {
        options.tls_handshake_timeout = 100ms;
        options.header_timeout = 100s;
    });
    HttpConnection silent(world.http->port());
    (void)silent.receive();
    EXPECT_TRUE(silent.closed());
}

TEST(HttpServerTls, stops_at_once_in_the_middle_of_handshakes) {
    const TlsWorld world;
    HttpConnection silent(world.http->port());
    ASSERT_TRUE(wait_until([&] { return world.http->server->load().connections == 1; }));
    const auto begin = std::chrono::steady_clock::now();
    world.http->server->stop();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 8s);
}

}  // namespace
}  // namespace jobforge::test
