// The rows a statement returned, binary format. Cheap to move; copies are not allowed.
//
// Typed getters abort on a type or column mismatch (a broken invariant: our SQL and our code
// disagree); a NULL read through a non-optional getter aborts too. Check is_null() or use opt_*.
// Views returned by text() and json() live as long as the Rows. Threads: may be read by many.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/uuid.h>

#include "pg/params.h"

typedef struct pg_result PGresult;

namespace jobforge::pg {

class Rows final {
public:
    explicit Rows(PGresult* result);  // takes ownership
    Rows(Rows&&) noexcept = default;
    Rows& operator=(Rows&&) noexcept = default;

    [[nodiscard]] int size() const noexcept;
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] std::int64_t affected() const noexcept;  // of the command tag
    // The command tag, e.g. "INSERT 0 1". COMMIT of a failed transaction answers "ROLLBACK".
    [[nodiscard]] std::string_view command_tag() const noexcept;
    // Column number by name; aborts if there is none (cache it outside loops).
    [[nodiscard]] int column(std::string_view name) const;

    [[nodiscard]] bool is_null(int row, int col) const noexcept;
    [[nodiscard]] bool boolean(int row, int col) const;
    [[nodiscard]] std::int64_t integer(int row, int col) const;  // int2, int4, int8, oid
    [[nodiscard]] double real(int row, int col) const;           // float8
    [[nodiscard]] std::string_view text(
        int row, int col) const;  // text, name, varchar, enums; bytea's bytes
    [[nodiscard]] std::string_view json(int row, int col) const;  // json, jsonb: the JSON text
    [[nodiscard]] Uuid uuid(int row, int col) const;
    [[nodiscard]] Timestamp timestamp(int row, int col) const;  // timestamptz
    // One-dimensional arrays without NULL elements.
    [[nodiscard]] std::vector<std::string> text_array(int row, int col) const;  // bytea[] too
    [[nodiscard]] std::vector<std::int64_t> integer_array(int row, int col) const;
    [[nodiscard]] std::vector<Uuid> uuid_array(int row, int col) const;

    // A value of any type in Postgres's binary format, to be sent back as it is (Params::raw).
    [[nodiscard]] std::string_view raw(int row, int col) const { return bytes(row, col); }
    // libpq's result, for results in text format.
    [[nodiscard]] const PGresult* native() const noexcept { return result_.get(); }

    [[nodiscard]] std::optional<bool> opt_boolean(int row, int col) const;
    [[nodiscard]] std::optional<std::int64_t> opt_integer(int row, int col) const;
    [[nodiscard]] std::optional<double> opt_real(int row, int col) const;
    [[nodiscard]] std::optional<std::string> opt_text(int row, int col) const;
    [[nodiscard]] std::optional<std::string> opt_json(int row, int col) const;
    [[nodiscard]] std::optional<Uuid> opt_uuid(int row, int col) const;
    [[nodiscard]] std::optional<Timestamp> opt_timestamp(int row, int col) const;

private:
    // The field's bytes; aborts on NULL, a text-format column or a place outside the result.
    [[nodiscard]] std::string_view bytes(int row, int col) const;
    [[nodiscard]] unsigned type(int col) const;
    [[noreturn]] void wrong_type(int col, std::string_view wanted) const;

    struct Clear {
        void operator()(PGresult* result) const noexcept;
    };
    std::unique_ptr<PGresult, Clear> result_;
};

}  // namespace jobforge::pg
