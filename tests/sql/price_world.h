// Sources, intakes and prices in the state a test needs, made through the functions that workers
// and clients call.
#pragma once

#include <string>

#include "sql_session.h"

namespace jobforge::test {

// For the tenant the session acts for. Every call makes new rows. Aborts the test where a function
// fails.
class PriceWorld final {
public:
    explicit PriceWorld(Session& sql) : sql_(sql) {}

    // An enabled http_json source called source-<n>; `more` are further members of its JSON.
    std::string source(const std::string& more = "");
    std::string intake();
    // One price point as JSON.
    static std::string point(const std::string& key, const std::string& type, const char* match,
                             int cents = 1999);
    // "inserted updated kept" of storing these points.
    std::string store(const std::string& intake, const std::string& source,
                      const std::string& points);
    static std::string store_call(const std::string& intake, const std::string& source,
                                  const std::string& points);
    static std::string valuation_call(const std::string& intake);
    // A source with rules and a pause, an intake with a collection, a price and a valuation.
    void everything();

private:
    int next_ = 0;
    Session& sql_;
};

}  // namespace jobforge::test
