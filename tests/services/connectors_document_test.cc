// docs/connectors.md: its payloads are accepted, and its receiver accepts what we send and nothing
// else.
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "child_process.h"
#include "connector_world.h"
#include "temp_dir.h"
#include "test_paths.h"

namespace jobforge::services {
namespace {

using test::http_answer;
using test::TcpServer;

std::string document() {
    std::ifstream file(std::string(JOBFORGE_SOURCE_DIR) + "/docs/connectors.md");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// The blocks whose fence says this.
std::vector<std::string> blocks(const std::string& fence) {
    std::vector<std::string> found;
    const std::string text = document();
    const std::string open = "```" + fence + "\n";
    for (auto at = text.find(open); at != std::string::npos; at = text.find(open, at + 1)) {
        const auto start = at + open.size();
        found.push_back(text.substr(start, text.find("```", start) - start));
    }
    return found;
}

class ConnectorsDocument : public test::ConnectorWorld {};

TEST_F(ConnectorsDocument, every_payload_is_one_that_can_be_enqueued) {
    for (const std::string type : {test::kHttpRequest, test::kWebhookDeliver}) {
        const auto payloads = blocks("json " + type);
        EXPECT_FALSE(payloads.empty());
        for (const std::string& payload : payloads) {
            EXPECT_FALSE(enqueue(type, payload).empty()) << payload;
        }
    }
    const auto settings = blocks("sql");
    ASSERT_EQ(settings.size(), 1U);
    run(settings[0]);
    EXPECT_EQ(one("select config ->> 'requests_per_minute' from jobforge.connector_configs"),
              "120");
}

TEST_F(ConnectorsDocument, its_report_is_made_and_read_by_its_query) {
    const auto payloads = blocks("json connector.report.generate");
    const auto queries = blocks("sql report");
    ASSERT_EQ(payloads.size(), 1U);
    ASSERT_EQ(queries.size(), 1U);
    ASSERT_EQ(ends("connector.report.generate", payloads[0]), "SUCCEEDED");
    const std::string query = queries[0].substr(0, queries[0].rfind(';'));
    EXPECT_EQ(one(fmt::format("select string_agg(format || ' ' || left(content, 15), ', ' order by "
                              "format) from ({}) q",
                              query)),
              "csv section,row,nam, html <!DOCTYPE html>, json {\"by_day\": [{\"d");
}

TEST_F(ConnectorsDocument, its_receiver_accepts_what_we_send_and_refuses_another_body) {
    const auto server = TcpServer::answering(http_answer("200 OK"));
    const std::string id = enqueue(
        test::kWebhookDeliver,
        fmt::format(
            R"({{"target_url":"{}","event_type":"a.b","event_id":"01890a5d-ac96-774b-bcce-b302099a8057",)"
            R"("secret_ref":"PLANTED","data":{{"n":1}}}})",
            server->url()));
    ASSERT_EQ(end_of(id), "SUCCEEDED");
    const std::string request = server->requests().at(0);
    const auto receivers = blocks("python receiver");
    ASSERT_EQ(receivers.size(), 1U);
    const test::TempDir directory;
    std::ofstream(directory.path() + "/request", std::ios::binary) << request;
    std::ofstream(directory.path() + "/receiver.py") << receivers[0] << R"(
import pathlib
import sys

head, _, body = pathlib.Path(sys.argv[1]).read_bytes().partition(b"\r\n\r\n")
headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
print(verify(headers, body, sys.argv[2])["data"])
for other in (body + b" ", body.replace(b"1", b"2", 1)):
    try:
        verify(headers, other, sys.argv[2])
        print("accepted")
    except ValueError as refusal:
        print(refusal)
)";
    test::ChildProcess python({"python3", directory.path() + "/receiver.py",
                               directory.path() + "/request", test::kPlanted});
    EXPECT_EQ(python.wait(), 0) << python.error_output();
    EXPECT_EQ(python.output(), "{'n': 1}\nnot from us\nnot from us\n");
}

}  // namespace
}  // namespace jobforge::services
