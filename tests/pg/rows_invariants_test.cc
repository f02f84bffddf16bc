// Reading a result wrongly is a bug in our code and must stop it. Results are made by hand: no
// server, so that the forked processes of a death test have nothing to share.
#include <array>
#include <string>

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include "pg/rows.h"
#include "pg/wire.h"

namespace jobforge::pg {
namespace {

// One row: `number` (int4, 1), `nothing` (int4, NULL), `words` (text in text format).
Rows make_rows() {
    PGresult* result = PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK);
    std::string names[] = {"number", "nothing", "words"};
    std::array<PGresAttDesc, 3> columns{};
    for (std::size_t i = 0; i < columns.size(); ++i) {
        columns[i].name = names[i].data();
        columns[i].format = i < 2 ? 1 : 0;
        columns[i].typid = i < 2 ? wire::kInt4 : wire::kText;
    }
    char one[] = {0, 0, 0, 1};
    char text[] = "text";
    EXPECT_EQ(PQsetResultAttrs(result, 3, columns.data()), 1);
    EXPECT_EQ(PQsetvalue(result, 0, 0, one, 4), 1);
    EXPECT_EQ(PQsetvalue(result, 0, 1, nullptr, -1), 1);
    EXPECT_EQ(PQsetvalue(result, 0, 2, text, 4), 1);
    return Rows(result);
}

class RowsDeathTest : public ::testing::Test {
protected:
    RowsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
    Rows rows_ = make_rows();
};

TEST_F(RowsDeathTest, a_correct_read_does_not_abort) {
    EXPECT_EQ(rows_.integer(0, rows_.column("number")), 1);
    EXPECT_EQ(rows_.opt_integer(0, 1), std::nullopt);
}

TEST_F(RowsDeathTest, the_wrong_type_aborts) {
    EXPECT_DEATH((void)rows_.text(0, 0), "read as text");
    EXPECT_DEATH((void)rows_.uuid(0, 0), "read as uuid");
    EXPECT_DEATH((void)rows_.json(0, 0), "read as json");
    EXPECT_DEATH((void)rows_.text(0, 2), "read as binary");
}

TEST_F(RowsDeathTest, a_null_through_a_getter_that_is_not_optional_aborts) {
    EXPECT_DEATH((void)rows_.integer(0, 1), "is NULL");
}

TEST_F(RowsDeathTest, a_place_outside_the_result_aborts) {
    EXPECT_DEATH((void)rows_.integer(1, 0), "outside the result");
    EXPECT_DEATH((void)rows_.opt_integer(0, 9), "outside the result");
    EXPECT_DEATH((void)rows_.integer(-1, 0), "outside the result");
    EXPECT_DEATH((void)rows_.column("Number"), "no column \"Number\"");
}

}  // namespace
}  // namespace jobforge::pg
