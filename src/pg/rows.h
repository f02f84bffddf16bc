// The rows a statement returned, binary format. Cheap to move; copies are not allowed.
//
// Typed getters abort on a type or column mismatch (a broken invariant: our SQL and our code
// disagree); a NULL read through a non-optional getter aborts too. Check is_null() or use opt_*.
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
    // Column number by name; aborts if there is none (cache it outside loops).
    [[nodiscard]] int column(std::string_view name) const;

    [[nodiscard]] bool is_null(int row, int col) const noexcept;
    [[nodiscard]] bool boolean(int row, int col) const;
    [[nodiscard]] std::int64_t integer(int row, int col) const;  // int2, int4, int8
    [[nodiscard]] double real(int row, int col) const;           // float8
    [[nodiscard]] std::string_view text(int row, int col) const; // text, name, varchar, bytea bytes
    [[nodiscard]] std::string_view json(int row, int col) const; // json, jsonb: the JSON text
    [[nodiscard]] Uuid uuid(int row, int col) const;
    [[nodiscard]] Timestamp timestamp(int row, int col) const;   // timestamptz
    [[nodiscard]] std::vector<std::string> text_array(int row, int col) const;

    [[nodiscard]] std::optional<std::int64_t> opt_integer(int row, int col) const;
    [[nodiscard]] std::optional<std::string> opt_text(int row, int col) const;
    [[nodiscard]] std::optional<std::string> opt_json(int row, int col) const;
    [[nodiscard]] std::optional<Uuid> opt_uuid(int row, int col) const;
    [[nodiscard]] std::optional<Timestamp> opt_timestamp(int row, int col) const;

private:
    struct Clear {
        void operator()(PGresult* result) const noexcept;
    };
    std::unique_ptr<PGresult, Clear> result_;
};

}  // namespace jobforge::pg
