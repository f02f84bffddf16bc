// Who may not ask is told so before a large body is read.
#include <gtest/gtest.h>

#include <chrono>

#include <fmt/format.h>

#include "api_http_world.h"
#include "services/access/access_admin.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

constexpr char kUpload[] = "/v1/documents?kind=BOM&name=large.csv";
constexpr std::size_t kLarge = std::size_t{40} << 20;

class LargeBodyApi : public ApiHttpWorld {
protected:
    static std::string head(const std::string& key, std::size_t length) {
        return request_text("POST", kUpload,
                            fmt::format("Authorization: Bearer {}\r\nContent-Type: text/csv\r\n"
                                        "Content-Length: {}\r\nExpect: 100-continue\r\n",
                                        key, length));
    }
    // The server's first word to who announces 40 MiB and sends none of it.
    HttpReply first_word(const std::string& key) {
        HttpConnection client(port());
        client.send(head(key, kLarge));
        return client.receive_one();
    }
    // A key that the server has let in before, so that it is in its cache.
    std::string known_key() {
        const std::string key = make_key(tenant_, {"Admin"});
        EXPECT_EQ(first_word(key).status, 100);
        return key;
    }
};

TEST_F(LargeBodyApi, without_a_key_even_a_small_body_is_not_waited_for) {
    for (const char* key : {"", "Authorization: Bearer nonsense\r\n"}) {
        HttpConnection client(port());
        client.send(request_text("POST", kUpload, fmt::format("{}Content-Length: 10\r\n", key)));
        EXPECT_EQ(client.receive_one().status, 401) << "before any of the body: " << key;
    }
}

TEST_F(LargeBodyApi, an_unknown_key_of_the_right_form_is_a_401_without_the_body) {
    std::string wrong = admin_;
    wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
    const HttpReply reply = first_word(wrong);
    EXPECT_EQ(reply.status, 401);
    EXPECT_EQ(error_code_of(reply), "UNAUTHORIZED");
    EXPECT_EQ(header_of(reply, "WWW-Authenticate"), "Bearer");
    EXPECT_TRUE(wait_until([&] { return !events_of_key(admin_).empty(); }));
    EXPECT_EQ(events_of_key(admin_), "POST /v1/documents UNAUTHORIZED") << "noted once";
}

TEST_F(LargeBodyApi, a_revoked_key_is_refused_although_it_is_cached) {
    const std::string key = known_key();
    auto as_tenant = calls(tenant_);
    ASSERT_TRUE(services::revoke_api_key(as_tenant, key_id(key), "test", "test").ok());
    const HttpReply reply = first_word(key);
    EXPECT_EQ(reply.status, 401);
    EXPECT_EQ(error_code_of(reply), "API_KEY_REVOKED");
}

TEST_F(LargeBodyApi, a_role_without_the_permission_is_a_403_with_one_audit_event) {
    const std::string auditor = make_key(tenant_, {"Auditor"});
    EXPECT_EQ(first_word(auditor).status, 403);
    EXPECT_EQ(events_of_key(auditor), "POST /v1/documents role");
}

TEST_F(LargeBodyApi, a_policy_that_came_meanwhile_holds) {
    const std::string key = known_key();
    ASSERT_EQ(
        post("/v1/access-policies", R"({"effect":"deny","path_pattern":"/v1/documents"})").status,
        201);
    EXPECT_EQ(first_word(key).status, 403);
}

TEST_F(LargeBodyApi, the_rate_is_asked_before_and_taken_once) {
    const auto now = std::chrono::steady_clock::now();
    options().rate_limit = {.enabled = true, .requests_per_second = 1, .burst = 2};
    options().clock = [now] { return now; };
    const std::string body(100'000, 'b');
    HttpConnection client(port());
    client.send(head(admin_, body.size()));
    EXPECT_EQ(client.receive_one().status, 100);
    client.send(body);
    const HttpReply made = client.receive_one();
    EXPECT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(header_of(made, "RateLimit-Remaining"), "1");
    EXPECT_EQ(first_word(admin_).status, 100);
    const HttpReply refused = first_word(admin_);
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(header_of(refused, "Retry-After"), "1");
}

TEST_F(LargeBodyApi, a_lost_connection_to_the_database_is_not_the_clients_business) {
    const std::string key = known_key();
    run("select pg_terminate_backend(pid) from pg_stat_activity where application_name = "
        "'jobforge api' and datname = current_database()");
    EXPECT_EQ(first_word(key).status, 100);
}

// Whatever the upload would do, to ask about it changes nothing: an answer that was lost is asked
// for again, although nobody knows whether the first question was heard.
TEST_F(LargeBodyApi, a_connection_lost_in_the_middle_of_the_question_is_not_either) {
    const std::string key = known_key();
    auto holder = pg::Connection::connect({.url = database_.url()});
    ASSERT_TRUE(holder.ok());
    ASSERT_TRUE(holder->script("hold", "begin; lock table jobforge.api_keys").ok());
    HttpConnection client(port());
    client.send(head(key, kLarge));
    ASSERT_TRUE(wait_until([&] {
        return one("select count(*) from pg_stat_activity where application_name = 'jobforge api' "
                   "and datname = current_database() and wait_event_type = 'Lock'") == "1";
    }));
    run("select pg_terminate_backend(pid) from pg_stat_activity where application_name = "
        "'jobforge api' and datname = current_database() and wait_event_type = 'Lock'");
    ASSERT_TRUE(holder->script("let go", "rollback").ok());
    EXPECT_EQ(client.receive_one().status, 100);
}

// Attack 4 of the review of issue 18: uploads that stop half-way held the memory for all bodies.
TEST_F(LargeBodyApi, half_sent_uploads_of_one_tenant_leave_room_for_others) {
    change_server = [](http::ServerOptions& options) { options.max_bodies_bytes = 3'000'000; };
    const std::string half(1'500'000, 'b');
    HttpConnection first(port());
    HttpConnection second(port());
    for (HttpConnection* const client : {&first, &second}) {
        client->send(head(make_key(tenant_, {"Admin"}), 1'900'000));  // not one that is cached
        EXPECT_EQ(client->receive_one().status, 100);
        client->send(half);
    }
    ASSERT_TRUE(wait_until([&] { return first.has_news() || second.has_news(); }));
    const bool is_first = first.has_news();
    const HttpReply refused = (is_first ? first : second).receive_one();
    EXPECT_EQ(refused.status, 429) << refused.body;
    const std::string body(900'000, 'o');
    HttpConnection other(port());
    other.send(head(other_admin_, body.size()));
    EXPECT_EQ(other.receive_one().status, 100);
    other.send(body);
    EXPECT_EQ(other.receive_one().status, 201);
    HttpConnection& rest = is_first ? second : first;
    rest.send(std::string(400'000, 'b'));
    EXPECT_EQ(rest.receive_one().status, 201);
}

TEST_F(LargeBodyApi, where_no_key_is_asked_for_everybody_is_let_in) {
    for (const char* path : {"/v1/health/live", "/nothing"}) {
        http::Request request;
        request.method = "GET";
        request.path = path;
        EXPECT_FALSE(service().plan(request).asks_admission) << path;
    }
}

TEST_F(LargeBodyApi, a_right_key_uploads_what_it_announced_or_did_not) {
    const std::string body(300'000, 'b');
    HttpConnection client(port());
    client.send(head(admin_, body.size()));
    EXPECT_EQ(client.receive_one().status, 100);
    client.send(body);
    EXPECT_EQ(client.receive_one().status, 201);
    client.send(request_text("POST", kUpload,
                             fmt::format("Authorization: Bearer {}\r\nContent-Type: text/csv\r\n"
                                         "Transfer-Encoding: chunked\r\n",
                                         admin_)) +
                fmt::format("{:x}\r\n{}\r\n", body.size(), body) + "1\r\nc\r\n0\r\n\r\n");
    EXPECT_EQ(client.receive_one().status, 201);
    EXPECT_EQ(one("select string_agg(octet_length(content)::text, ' ' order by 1) from "
                  "jobforge.document_versions"),
              "300000 300001");
}

}  // namespace
}  // namespace jobforge::test
