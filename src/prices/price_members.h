// Reading the members of a JSON object into plain values, with one error at the end. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge::services {

// Each call reads one member; null and absent leave the value as it is. The first member of a wrong
// kind is remembered, and end() tells it as VALIDATION_ERROR. `where` goes before its name
// ("config.fields"). The object must outlive the reader.
class Members final {
public:
    explicit Members(const Json& object, std::string_view where = {});

    Members& text(std::string_view name, std::string& out);
    Members& texts(std::string_view name, std::vector<std::string>& out);
    Members& integer(std::string_view name, std::int64_t& out, std::int64_t least,
                     std::int64_t most);
    Members& integer(std::string_view name, std::optional<int>& out);
    Members& boolean(std::string_view name, bool& out);
    // A number from 0 to 1, times 10^digits; further digits are cut, so that what is below 1 stays
    // there.
    Members& share(std::string_view name, std::int64_t& out, int digits);
    // The member itself; nullptr if it is null or absent.
    [[nodiscard]] const Json* any(std::string_view name);
    // A fault of the caller's finding; kept if it is the first.
    void fault(std::string_view name, std::string_view what);

    [[nodiscard]] Status end() const;
    // end(), and no members but those that were read: a misspelt setting is not ignored.
    [[nodiscard]] Status end_strict() const;

private:
    const Json& object_;
    std::string where_;
    std::set<std::string, std::less<>> read_;
    std::optional<Error> error_;
};

}  // namespace jobforge::services
