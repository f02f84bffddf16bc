// A server that speaks TLS, for tests of the outgoing side.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "child_process.h"
#include "tcp_server.h"
#include "temp_dir.h"

namespace jobforge::connect::test_support {

// `openssl s_server` with a certificate of its own making, for the name hooks.example. It answers
// "/" with a page of its own, or GETs of files that at() wrote.
class TlsServer final {
public:
    // `days`: how long the certificate is valid; negative: it has expired.
    explicit TlsServer(int days = 1) : port_(test::free_port()) {
        const std::string request = home_.path() + "/request.pem";
        const std::string extensions = home_.path() + "/extensions";
        std::ofstream(extensions) << "subjectAltName=DNS:hooks.example\n";
        const auto asked = test::run({"openssl", "req", "-new", "-newkey", "ec", "-pkeyopt",
                                      "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                                      "/CN=hooks.example", "-keyout", key_file(), "-out", request});
        EXPECT_EQ(asked.exit_code, 0) << asked.error_output;
        const auto made =
            test::run({"openssl", "x509", "-req", "-in", request, "-signkey", key_file(), "-days",
                       std::to_string(days), "-extfile", extensions, "-out", certificate_file()});
        EXPECT_EQ(made.exit_code, 0) << made.error_output;
        start("-www");
    }

    // From now on files are served: `bytes`, a complete answer, at /NAME.
    void at(const std::string& name, const std::string& bytes) {
        std::ofstream(home_.path() + "/" + name, std::ios::binary) << bytes;
        start("-HTTP");
    }

    [[nodiscard]] std::string certificate_file() const { return home_.path() + "/cert.pem"; }
    [[nodiscard]] std::string url(std::string_view host, std::string_view path = "/") const {
        return fmt::format("https://{}:{}{}", host, port_, path);
    }

private:
    void start(const char* mode) {
        server_.reset();
        server_ = std::make_unique<test::ChildProcess>(std::vector<std::string>{
            "sh", "-c",
            fmt::format("cd {} && exec openssl s_server -accept 127.0.0.1:{} -key {} -cert {} {}",
                        home_.path(), port_, key_file(), certificate_file(), mode)});
        EXPECT_TRUE(server_->wait_for_output("ACCEPT")) << server_->error_output();
    }
    [[nodiscard]] std::string key_file() const { return home_.path() + "/key.pem"; }

    test::TempDir home_;
    int port_;
    std::unique_ptr<test::ChildProcess> server_;
};

}  // namespace jobforge::connect::test_support
