// What a JSON value must look like: a subset of JSON Schema (draft 2020-12), checked to the end.
//
// Known are type (one name or several), enum, const, minimum, maximum, minLength and maxLength (in
// code points), pattern (found anywhere unless anchored; values/pattern.h), format uuid and uri (an
// http or https URL, international names in Unicode included), items, minItems, maxItems, required,
// properties, additionalProperties (false, true or a schema), and the annotations $schema, $id,
// title, description, default and examples, which check nothing. Any other keyword is refused when
// the schema is read: a schema must not promise what is not checked. As in JSON Schema, a keyword
// speaks of its own kind of value only, numbers are equal by value (1.0 is 1, and an integer), and
// members' order does not matter.
//
// The database checks payloads at enqueue with the same words (jobforge.check_payload). Handlers
// check again before they act on one: a job may be older than its type's schema. That check is here
// and not in the database, because a worker keeps the schema of each type and needs no query for
// it, and because RE2 takes linear time whatever the pattern. tests/services/json_schema_cases.json
// holds both to the same answers.
//
// Immutable, cheap to copy; any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge {

class JsonSchema final {
public:
    // VALIDATION_ERROR that names the place of a keyword that is unknown or makes no sense.
    [[nodiscard]] static Result<JsonSchema> parse(const Json& schema);

    struct Problem {
        std::string pointer;  // RFC 6901; "" is the value itself
        std::string message;  // "must be of type string"

        // "/url is required"; "the payload must be of type object".
        [[nodiscard]] std::string text() const;
    };
    // The first problem; nullopt if there is none. Never quotes the value: it may hold a secret.
    [[nodiscard]] std::optional<Problem> check(const Json& value) const;
    // The same as an error: JOB_PAYLOAD_INVALID, details {"at": pointer}.
    [[nodiscard]] Status check_payload(const Json& payload) const;

    struct Node;

private:
    explicit JsonSchema(std::shared_ptr<const Node> root) noexcept : root_(std::move(root)) {}
    std::shared_ptr<const Node> root_;
};

// One step more of a JSON pointer (RFC 6901): `key` with ~ as ~0 and / as ~1.
[[nodiscard]] std::string pointer_to(const std::string& pointer, std::string_view key);

}  // namespace jobforge
