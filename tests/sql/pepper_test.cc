// The fingerprint of the pepper that a database's keys were made with.
#include <gtest/gtest.h>

#include "sql_session.h"

namespace jobforge::test {
namespace {

constexpr char kFingerprint[] = "select encode(jobforge.pepper_fingerprint(), 'hex')";

class PepperFingerprint : public testing::Test {
protected:
    EngineDatabase database;
    Session sql = database.session();
};

TEST_F(PepperFingerprint, stays_that_of_the_first_key_until_another_one_is_meant) {
    EXPECT_EQ(sql.one("select jobforge.pepper_fingerprint() is null"), "t");
    sql.run("select jobforge.note_pepper(sha256('one'))");
    const std::string first = sql.one(kFingerprint);
    EXPECT_EQ(first, sql.one("select encode(sha256('one'), 'hex')"));
    sql.run("select jobforge.note_pepper(sha256('two'))");
    EXPECT_EQ(sql.one(kFingerprint), first);
    sql.run("select jobforge.note_pepper(sha256('two'), true)");
    EXPECT_EQ(sql.one(kFingerprint), sql.one("select encode(sha256('two'), 'hex')"));
    EXPECT_EQ(sql.one("select count(*) from jobforge.key_pepper"), "1");
    for (const char* bad : {"null", "'short'::bytea"}) {
        EXPECT_EQ(sql.error(std::string("select jobforge.note_pepper(") + bad + ")"),
                  "VALIDATION_ERROR");
    }
}

TEST_F(PepperFingerprint, is_read_by_those_who_make_keys_and_not_set_by_a_tenant) {
    sql.run("select jobforge.note_pepper(sha256('one')); set role jobforge_tenant");
    EXPECT_NE(sql.one(kFingerprint), "");
    EXPECT_EQ(sql.error("select jobforge.note_pepper(sha256('two'), true)"), "42501");
    EXPECT_EQ(sql.error("select * from jobforge.key_pepper"), "42501");
    sql.run("reset role; set role jobforge_observer");
    EXPECT_EQ(sql.error(kFingerprint), "42501");
}

}  // namespace
}  // namespace jobforge::test
