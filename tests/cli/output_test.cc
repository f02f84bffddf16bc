#include "cli/view/output.h"

#include <gtest/gtest.h>

namespace jobforge::cli {
namespace {

Table wide() {
    Table table({"ID", "VALUE", "A LONG HEADER"});
    table.add({"1", std::string(700, 'x'), "no"});
    table.add({"2", "short", "yes"});
    return table;
}

TEST(Tables, are_cut_to_the_width_of_a_terminal_in_their_widest_columns) {
    EXPECT_EQ(wide().text(40),
              "ID  VALUE                  A LONG HEADER\n"
              "1   xxxxxxxxxxxxxxxxxx...  no\n"
              "2   short                  yes\n");
}

TEST(Tables, have_everything_where_there_is_no_terminal) {
    EXPECT_NE(wide().text(0).find(std::string(700, 'x')), std::string::npos);
}

TEST(Tables, keep_room_for_their_headers_on_the_narrowest_terminal) {
    EXPECT_EQ(wide().text(5),
              "ID  VALUE         A LONG HEADER\n"
              "1   xxxxxxxxx...  no\n"
              "2   short         yes\n");
}

}  // namespace
}  // namespace jobforge::cli
