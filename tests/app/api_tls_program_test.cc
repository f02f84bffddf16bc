// TLS of the real program: its certificate is exchanged by a signal, as an operator does it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <regex>

#include <fmt/format.h>

#include "child_process.h"
#include "http_client.h"
#include "temp_dir.h"
#include "test_cluster.h"
#include "test_paths.h"

namespace jobforge::test {
namespace {

using testing::HasSubstr;

class ApiTlsProgram : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(run({JOBFORGE_PROGRAM, "migrate"}, environment()).exit_code, 0);
        write_certificate("first");
        program = std::make_unique<ChildProcess>(std::vector<std::string>{JOBFORGE_PROGRAM, "api"},
                                                 environment());
        ASSERT_TRUE(program->wait_for_output("\"api started\"")) << program->error_output();
        const std::string log = program->error_output();
        std::smatch found;
        ASSERT_TRUE(std::regex_search(log, found, std::regex("https://127.0.0.1:([0-9]+)")));
        port = std::stoi(found[1]);
    }

    std::map<std::string, std::string> environment() const {
        return {{"DATABASE_URL", database.url()},
                {"JOBFORGE_DATA", home.path()},
                {"BPC_HTTP_PORT", "0"},
                {"JOBFORGE_TLS_CERTIFICATE", certificate},
                {"JOBFORGE_TLS_KEY", home.path() + "/key.pem"}};
    }
    // A certificate of 127.0.0.1 by that organisation, with a new key.
    void write_certificate(const std::string& organisation) {
        const Finished made =
            run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                 "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                 "/O=" + organisation + "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                 "-keyout", home.path() + "/key.pem", "-out", certificate});
        ASSERT_EQ(made.exit_code, 0) << made.error_output;
        std::ofstream(trusted()) << std::ifstream(certificate).rdbuf();
    }
    std::string trusted() const { return home.path() + "/trusted.pem"; }
    // What a client says that trusts the certificate written last, and nothing else.
    Finished curl(const std::string& scheme) const {
        return run({"curl", "-sS", "-v", "--max-time", "30", "--cacert", trusted(),
                    fmt::format("{}://127.0.0.1:{}/v1/health/live", scheme, port)});
    }
    void expect_served_by(const std::string& organisation) const {
        const Finished asked = curl("https");
        EXPECT_EQ(asked.exit_code, 0) << asked.error_output;
        EXPECT_THAT(asked.output, HasSubstr(R"("status":"ok")"));
        EXPECT_THAT(asked.error_output, HasSubstr("O=" + organisation));
    }

    TestDatabase database;
    TempDir home;
    std::string certificate = home.path() + "/certificate.pem";
    std::unique_ptr<ChildProcess> program;
    int port = 0;
};

TEST_F(ApiTlsProgram, a_hangup_exchanges_the_certificate_and_a_useless_one_changes_nothing) {
    expect_served_by("first");

    std::ofstream(certificate) << "no certificate";
    program->send_signal(SIGHUP);
    ASSERT_TRUE(program->wait_for_output("the certificate was not read again"));
    EXPECT_THAT(program->error_output(), HasSubstr(certificate)) << "it says which file";
    expect_served_by("first");

    write_certificate("second");
    EXPECT_EQ(curl("https").exit_code, 60) << "until it is told, the old one is shown";
    program->send_signal(SIGHUP);
    ASSERT_TRUE(program->wait_for_output("the certificate was read again"));
    expect_served_by("second");

    program->send_signal(SIGTERM);
    EXPECT_EQ(program->wait(), 0) << program->error_output();
}

TEST_F(ApiTlsProgram, plain_http_at_the_tls_port_gets_no_answer_and_disturbs_nobody) {
    EXPECT_NE(curl("http").exit_code, 0);
    HttpConnection plain(port);
    plain.send("GET /v1/health/live HTTP/1.1\r\nHost: x\r\n\r\n");
    const HttpReply reply = plain.receive();
    EXPECT_EQ(reply.status, 0) << "nothing is said in the clear: " << reply.body;
    EXPECT_TRUE(plain.closed());
    expect_served_by("first");
}

}  // namespace
}  // namespace jobforge::test
