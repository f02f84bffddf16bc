// The members of a request's body and the values of its query, read with their types.
//
// Both collect the first mistake and go on with empty values, so that a handler reads all it wants
// and asks finish() once. What a handler did not ask for is a mistake too: a typing error must not
// pass silently. All mistakes are VALIDATION_ERROR and name the field in `details`. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/job.h>
#include <jobforge/json.h>
#include <jobforge/uuid.h>

#include "http/parse/http_message.h"

namespace jobforge::api {

// VALIDATION_ERROR about one field: details {"field": ...}.
[[nodiscard]] Error field_error(std::string_view field, std::string_view what);

// The members of a JSON object, which must outlive this. JSON null is the same as left out.
class BodyFields final {
public:
    explicit BodyFields(const Json& body) : body_(body) {}

    [[nodiscard]] std::string text(std::string_view name);
    [[nodiscard]] Uuid uuid(std::string_view name);
    [[nodiscard]] std::int64_t integer(std::string_view name);
    [[nodiscard]] std::optional<std::string> opt_text(std::string_view name);
    [[nodiscard]] std::optional<Uuid> opt_uuid(std::string_view name);
    [[nodiscard]] std::optional<std::int64_t> opt_integer(std::string_view name);
    // An integer between `least` and `most`.
    [[nodiscard]] std::optional<int> opt_int(std::string_view name, int least, int most);
    [[nodiscard]] std::optional<bool> opt_boolean(std::string_view name);
    [[nodiscard]] std::optional<TimePoint> opt_time(std::string_view name);
    [[nodiscard]] std::vector<std::string> texts(std::string_view name);
    [[nodiscard]] std::vector<Uuid> uuids(std::string_view name);
    // nullptr: not there. Any kind, null too.
    [[nodiscard]] const Json* json(std::string_view name);
    // A mistake that the handler found.
    void refuse(std::string_view name, std::string_view what);

    [[nodiscard]] Status finish() const;

private:
    // The member unless it is missing or null.
    [[nodiscard]] const Json* present(std::string_view name);
    // One string of a list.
    [[nodiscard]] const std::string* element(std::string_view name, const Json& item);

    const Json& body_;
    std::vector<std::string_view> known_;
    std::optional<Error> error_;
};

// The parameters behind the question mark. One that is given twice is a mistake.
class QueryFields final {
public:
    explicit QueryFields(const http::RequestHead& head) : head_(head) {}

    [[nodiscard]] std::optional<std::string> opt_text(std::string_view name);
    [[nodiscard]] std::optional<Uuid> opt_uuid(std::string_view name);
    [[nodiscard]] std::optional<int> opt_int(std::string_view name, int least, int most);
    [[nodiscard]] std::optional<bool> opt_boolean(std::string_view name);
    [[nodiscard]] std::optional<TimePoint> opt_time(std::string_view name);
    void refuse(std::string_view name, std::string_view what);

    [[nodiscard]] Status finish() const;

private:
    const http::RequestHead& head_;
    std::vector<std::string_view> known_;
    std::optional<Error> error_;
};

}  // namespace jobforge::api
