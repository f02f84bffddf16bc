// Ids of stream events come back from clients, who may send anything.
#include <gtest/gtest.h>

#include "api/stream_cursor.h"

namespace jobforge::api {
namespace {

TEST(StreamCursor, reads_what_it_wrote) {
    for (const char* text : {"100:105:101,103@1763300000000", "7:7:@1", "7:9:7@12"}) {
        const auto cursor = StreamCursor::parse(text);
        ASSERT_TRUE(cursor) << text;
        EXPECT_EQ(cursor->text(), text);
    }
    EXPECT_EQ(StreamCursor::parse("100:105:101,103@1763300000000")->snapshot, "100:105:101,103");
    EXPECT_EQ(StreamCursor::parse("7:9:7@12")->unix_ms, 12);
}

TEST(StreamCursor, refuses_what_postgres_would_refuse) {
    for (const char* text : {"",
                             "@",
                             "1:2:",
                             "1:2:@",
                             "1:2:@0",
                             "1:2:@-1",
                             "1:2:@1x",
                             "1:2@3",
                             "2:1:@3",
                             "0:1:@3",
                             "1:3:2,@3",
                             "1:3:,2@3",
                             "1:9:5,5@3",
                             "1:9:5,4@3",
                             "3:9:2@3",
                             "1:9:9@3",
                             "1:2::@3",
                             "a:b:c@3",
                             " 1:2:@3",
                             "1:2:@3 ",
                             "01:2:@3",
                             "+1:2:@3",
                             "1:99999999999999999999:@3",
                             "1:2:@99999999999999999999",
                             "1:2:3;drop@4"}) {
        EXPECT_FALSE(StreamCursor::parse(text)) << text;
    }
    EXPECT_FALSE(StreamCursor::parse("1:2:@" + std::string(9000, '1')));
}

}  // namespace
}  // namespace jobforge::api
