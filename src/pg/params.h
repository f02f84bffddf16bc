// Parameters of one statement, encoded in Postgres's binary format.
//
// Building a Params never fails; the server checks types. Values are copied in, so the caller's
// buffers may go away. Order is $1, $2, ... A Params may be reused after clear(), which keeps its
// memory. Threads: one at a time. Limits are the protocol's: 65,535 parameters, 1 GB a value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/uuid.h>

namespace jobforge::pg {

// Microseconds since 1970-01-01T00:00:00Z, as the database said it. Not a worker's clock.
// The extreme values of std::int64_t stand for Postgres's -infinity and infinity.
struct Timestamp {
    std::int64_t unix_us = 0;
    friend auto operator<=>(const Timestamp&, const Timestamp&) = default;
};

class Params final {
public:
    Params& null(unsigned oid = 0);
    Params& boolean(bool value);
    Params& int2(std::int16_t value);
    Params& int4(std::int32_t value);
    Params& int8(std::int64_t value);
    Params& real(double value);  // float8
    Params& text(std::string_view value);
    Params& uuid(const Uuid& value);
    Params& timestamp(Timestamp value);
    Params& jsonb(std::string_view json_text);
    Params& bytea(std::string_view bytes);
    // nullopt is SQL NULL.
    Params& opt_text(const std::optional<std::string>& value);
    Params& opt_int4(const std::optional<std::int32_t>& value);
    Params& opt_int8(const std::optional<std::int64_t>& value);
    Params& opt_uuid(const std::optional<Uuid>& value);
    Params& opt_jsonb(const std::optional<std::string>& json_text);
    Params& opt_timestamp(const std::optional<Timestamp>& value);

    // One-dimensional arrays; a nullopt element is a NULL element.
    Params& boolean_array(std::span<const std::uint8_t> values);  // 0: false, others: true
    Params& int2_array(std::span<const std::int16_t> values);
    Params& int4_array(std::span<const std::int32_t> values);
    Params& opt_int4_array(std::span<const std::optional<std::int32_t>> values);
    Params& int8_array(std::span<const std::int64_t> values);
    Params& opt_real_array(std::span<const std::optional<double>> values);
    Params& text_array(std::span<const std::string> values);
    Params& bytea_array(std::span<const std::string> values);
    Params& opt_text_array(std::span<const std::optional<std::string>> values);
    Params& uuid_array(std::span<const Uuid> values);
    Params& opt_uuid_array(std::span<const std::optional<Uuid>> values);
    Params& timestamp_array(std::span<const Timestamp> values);
    Params& opt_timestamp_array(std::span<const std::optional<Timestamp>> values);
    Params& jsonb_array(std::span<const std::string> json_texts);
    Params& opt_jsonb_array(std::span<const std::optional<std::string>> json_texts);

    // A value in Postgres's binary format, as Rows::raw() gave it.
    Params& raw(unsigned oid, std::string_view bytes);

    void clear();
    [[nodiscard]] int count() const noexcept;
    // libpq's parallel arrays, valid until the next change of this object.
    [[nodiscard]] const unsigned* types() const noexcept;
    [[nodiscard]] const char* const* values() const noexcept;
    [[nodiscard]] const int* lengths() const noexcept;
    [[nodiscard]] const int* formats() const noexcept;

private:
    // All values lie back to back in one arena; libpq's pointers are made on demand, because the
    // arena moves while it grows.
    void begin(unsigned oid);
    void finish();
    void put(std::string_view bytes) { arena_.append(bytes); }
    template <typename Integer>
    void put_integer(Integer value);
    // Writes an array: `encode(value)` appends one element's bytes, or returns false for NULL.
    template <typename Value, typename Encode>
    Params& array(unsigned array_oid, unsigned element_oid, std::span<const Value> values,
                  Encode encode);

    std::vector<unsigned> oids_;
    std::vector<std::int64_t> offsets_;  // into arena_; -1: NULL
    std::vector<int> lengths_;
    std::vector<int> formats_;
    std::string arena_;
    mutable std::vector<const char*> values_;
};

}  // namespace jobforge::pg
