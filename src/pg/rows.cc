#include "pg/rows.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "pg/invariant.h"
#include "pg/wire.h"

namespace jobforge::pg {

namespace {

Uuid uuid_from(std::string_view bytes) {
    Uuid id;
    if (bytes.size() != id.bytes.size()) {
        broken_invariant("a uuid that is not 16 bytes long");
    }
    std::memcpy(id.bytes.data(), bytes.data(), bytes.size());
    return id;
}

std::int64_t integer_from(std::string_view bytes) {
    switch (bytes.size()) {
        case 2:
            return wire::read_integer<std::int16_t>(bytes.data());
        case 4:
            return wire::read_integer<std::int32_t>(bytes.data());
        case 8:
            return wire::read_integer<std::int64_t>(bytes.data());
        default:
            broken_invariant("an integer that is not 2, 4 or 8 bytes long");
    }
}

// Calls `take(bytes)` for each element of a binary array value.
template <typename Take>
void for_each_element(std::string_view array, Take take) {
    constexpr std::size_t kWord = 4;
    const auto word = [&array]() {
        if (array.size() < kWord) {
            broken_invariant("a truncated array value");
        }
        const auto value = wire::read_integer<std::int32_t>(array.data());
        array.remove_prefix(kWord);
        return value;
    };
    const std::int32_t dimensions = word();
    word();  // has-null flag: NULL elements are found by their length
    word();  // element type: implied by the column's type
    if (dimensions == 0) {
        return;
    }
    if (dimensions != 1) {
        broken_invariant("an array of more than one dimension");
    }
    const std::int32_t count = word();
    word();  // lower bound
    for (std::int32_t i = 0; i < count; ++i) {
        const std::int32_t length = word();
        if (length < 0 || static_cast<std::size_t>(length) > array.size()) {
            broken_invariant("a NULL or truncated array element");
        }
        take(array.substr(0, static_cast<std::size_t>(length)));
        array.remove_prefix(static_cast<std::size_t>(length));
    }
}

}  // namespace

void Rows::Clear::operator()(PGresult* result) const noexcept {
    PQclear(result);
}

Rows::Rows(PGresult* result) : result_(result) {}

int Rows::size() const noexcept {
    return PQntuples(result_.get());
}

std::int64_t Rows::affected() const noexcept {
    return std::strtoll(PQcmdTuples(result_.get()), nullptr, 10);
}

std::string_view Rows::command_tag() const noexcept {
    return PQcmdStatus(result_.get());
}

// Not PQfnumber: that one folds case and takes quotes apart, and needs a terminated string.
int Rows::column(std::string_view name) const {
    const int columns = PQnfields(result_.get());
    for (int col = 0; col < columns; ++col) {
        if (name == PQfname(result_.get(), col)) {
            return col;
        }
    }
    broken_invariant(fmt::format("the result has no column \"{}\"", name));
}

// libpq answers "NULL" for places outside the result; that must not pass for data.
bool Rows::is_null(int row, int col) const noexcept {
    if (row < 0 || row >= PQntuples(result_.get()) || col < 0 || col >= PQnfields(result_.get())) {
        broken_invariant("a row or column outside the result");
    }
    return PQgetisnull(result_.get(), row, col) != 0;
}

unsigned Rows::type(int col) const {
    return PQftype(result_.get(), col);
}

void Rows::wrong_type(int col, std::string_view wanted) const {
    const char* name = PQfname(result_.get(), col);
    broken_invariant(fmt::format("column {} (\"{}\") has type {}, read as {}", col,
                                 name == nullptr ? "?" : name, type(col), wanted));
}

std::string_view Rows::bytes(int row, int col) const {
    const PGresult* result = result_.get();
    const bool null = is_null(row, col);
    if (PQfformat(result, col) != 1) {
        wrong_type(col, "binary");
    }
    if (null) {
        broken_invariant(fmt::format("column \"{}\" of row {} is NULL", PQfname(result, col), row));
    }
    return {PQgetvalue(result, row, col), static_cast<std::size_t>(PQgetlength(result, row, col))};
}

bool Rows::boolean(int row, int col) const {
    const std::string_view value = bytes(row, col);
    if (type(col) != wire::kBool) {
        wrong_type(col, "boolean");
    }
    return value[0] != 0;
}

std::int64_t Rows::integer(int row, int col) const {
    const std::string_view value = bytes(row, col);
    switch (type(col)) {
        case wire::kInt2:
        case wire::kInt4:
        case wire::kInt8:
            return integer_from(value);
        case wire::kOid:
            return wire::read_integer<std::uint32_t>(value.data());
        default:
            wrong_type(col, "integer");
    }
}

double Rows::real(int row, int col) const {
    const std::string_view value = bytes(row, col);
    if (type(col) != wire::kFloat8) {
        wrong_type(col, "float8");
    }
    return std::bit_cast<double>(wire::read_integer<std::int64_t>(value.data()));
}

std::string_view Rows::text(int row, int col) const {
    const std::string_view value = bytes(row, col);
    switch (type(col)) {
        case wire::kText:
        case wire::kName:
        case wire::kVarchar:
        case wire::kBpchar:
        case wire::kUnknown:
        case wire::kBytea:
            return value;
        default:
            if (type(col) < wire::kFirstUserType) {
                wrong_type(col, "text");
            }
            return value;
    }
}

std::string_view Rows::json(int row, int col) const {
    std::string_view value = bytes(row, col);
    switch (type(col)) {
        case wire::kJson:
            return value;
        case wire::kJsonb:
            if (value.empty() || value[0] != wire::kJsonbVersion) {
                wrong_type(col, "jsonb version 1");
            }
            return value.substr(1);
        default:
            wrong_type(col, "json");
    }
}

Uuid Rows::uuid(int row, int col) const {
    const std::string_view value = bytes(row, col);
    if (type(col) != wire::kUuid) {
        wrong_type(col, "uuid");
    }
    return uuid_from(value);
}

Timestamp Rows::timestamp(int row, int col) const {
    const std::string_view value = bytes(row, col);
    if (type(col) != wire::kTimestamptz) {
        wrong_type(col, "timestamptz");
    }
    const std::int64_t postgres_us = wire::read_integer<std::int64_t>(value.data());
    // infinity keeps its extreme number; a finite time beyond int64's end since 1970 reads as it.
    if (postgres_us >= std::numeric_limits<std::int64_t>::max() - wire::kEpochUs) {
        return Timestamp{std::numeric_limits<std::int64_t>::max()};
    }
    if (postgres_us == std::numeric_limits<std::int64_t>::min()) {
        return Timestamp{postgres_us};
    }
    return Timestamp{postgres_us + wire::kEpochUs};
}

std::vector<std::string> Rows::text_array(int row, int col) const {
    const std::string_view value = bytes(row, col);
    if (type(col) != wire::kTextArray && type(col) != wire::kByteaArray) {
        wrong_type(col, "text[] or bytea[]");
    }
    std::vector<std::string> items;
    for_each_element(value, [&items](std::string_view item) { items.emplace_back(item); });
    return items;
}

std::vector<std::int64_t> Rows::integer_array(int row, int col) const {
    const std::string_view value = bytes(row, col);
    if (type(col) != wire::kInt2Array && type(col) != wire::kInt4Array &&
        type(col) != wire::kInt8Array) {
        wrong_type(col, "integer[]");
    }
    std::vector<std::int64_t> items;
    for_each_element(value,
                     [&items](std::string_view item) { items.push_back(integer_from(item)); });
    return items;
}

std::vector<Uuid> Rows::uuid_array(int row, int col) const {
    const std::string_view value = bytes(row, col);
    if (type(col) != wire::kUuidArray) {
        wrong_type(col, "uuid[]");
    }
    std::vector<Uuid> items;
    for_each_element(value, [&items](std::string_view item) { items.push_back(uuid_from(item)); });
    return items;
}

std::optional<bool> Rows::opt_boolean(int row, int col) const {
    return is_null(row, col) ? std::nullopt : std::optional(boolean(row, col));
}

std::optional<std::int64_t> Rows::opt_integer(int row, int col) const {
    return is_null(row, col) ? std::nullopt : std::optional(integer(row, col));
}

std::optional<double> Rows::opt_real(int row, int col) const {
    return is_null(row, col) ? std::nullopt : std::optional(real(row, col));
}

std::optional<std::string> Rows::opt_text(int row, int col) const {
    return is_null(row, col) ? std::nullopt : std::optional(std::string(text(row, col)));
}

std::optional<std::string> Rows::opt_json(int row, int col) const {
    return is_null(row, col) ? std::nullopt : std::optional(std::string(json(row, col)));
}

std::optional<Uuid> Rows::opt_uuid(int row, int col) const {
    return is_null(row, col) ? std::nullopt : std::optional(uuid(row, col));
}

std::optional<Timestamp> Rows::opt_timestamp(int row, int col) const {
    return is_null(row, col) ? std::nullopt : std::optional(timestamp(row, col));
}

}  // namespace jobforge::pg
