#include "pg/params.h"

#include <bit>
#include <limits>

#include "base/text/bytes.h"
#include "pg/wire.h"

namespace jobforge::pg {

namespace {

constexpr int kBinary = 1;
constexpr std::size_t kArrayHeaderBytes = 20;

// Infinities are the same extreme numbers on both sides; everything else moves by the epoch.
std::int64_t to_postgres(Timestamp value) noexcept {
    constexpr auto kLowest = std::numeric_limits<std::int64_t>::min();
    constexpr auto kHighest = std::numeric_limits<std::int64_t>::max();
    if (value.unix_us == kHighest || value.unix_us == kLowest) {
        return value.unix_us;
    }
    // Before Postgres's first year: let the server refuse it instead of wrapping around.
    if (value.unix_us < kLowest + wire::kEpochUs + 1) {
        return kLowest + 1;
    }
    return value.unix_us - wire::kEpochUs;
}

}  // namespace

void Params::begin(unsigned oid) {
    oids_.push_back(oid);
    offsets_.push_back(static_cast<std::int64_t>(arena_.size()));
    formats_.push_back(kBinary);
}

void Params::finish() {
    lengths_.push_back(
        static_cast<int>(static_cast<std::int64_t>(arena_.size()) - offsets_.back()));
}

template <typename Integer>
void Params::put_integer(Integer value) {
    char bytes[sizeof(Integer)];
    wire::write_integer(bytes, value);
    arena_.append(bytes, sizeof bytes);
}

Params& Params::null(unsigned oid) {
    oids_.push_back(oid);
    offsets_.push_back(-1);
    lengths_.push_back(0);
    formats_.push_back(kBinary);
    return *this;
}

Params& Params::boolean(bool value) {
    begin(wire::kBool);
    arena_.push_back(value ? 1 : 0);
    finish();
    return *this;
}

Params& Params::int2(std::int16_t value) {
    begin(wire::kInt2);
    put_integer(value);
    finish();
    return *this;
}

Params& Params::int4(std::int32_t value) {
    begin(wire::kInt4);
    put_integer(value);
    finish();
    return *this;
}

Params& Params::int8(std::int64_t value) {
    begin(wire::kInt8);
    put_integer(value);
    finish();
    return *this;
}

Params& Params::real(double value) {
    begin(wire::kFloat8);
    put_integer(std::bit_cast<std::int64_t>(value));
    finish();
    return *this;
}

Params& Params::text(std::string_view value) {
    begin(wire::kText);
    put(value);
    finish();
    return *this;
}

Params& Params::uuid(const Uuid& value) {
    begin(wire::kUuid);
    put(bytes_of(value.bytes));
    finish();
    return *this;
}

Params& Params::timestamp(Timestamp value) {
    begin(wire::kTimestamptz);
    put_integer(to_postgres(value));
    finish();
    return *this;
}

Params& Params::jsonb(std::string_view json_text) {
    begin(wire::kJsonb);
    arena_.push_back(wire::kJsonbVersion);
    put(json_text);
    finish();
    return *this;
}

Params& Params::bytea(std::string_view bytes) {
    begin(wire::kBytea);
    put(bytes);
    finish();
    return *this;
}

Params& Params::opt_text(const std::optional<std::string>& value) {
    return value ? text(*value) : null(wire::kText);
}

Params& Params::opt_int4(const std::optional<std::int32_t>& value) {
    return value ? int4(*value) : null(wire::kInt4);
}

Params& Params::opt_int8(const std::optional<std::int64_t>& value) {
    return value ? int8(*value) : null(wire::kInt8);
}

Params& Params::opt_uuid(const std::optional<Uuid>& value) {
    return value ? uuid(*value) : null(wire::kUuid);
}

Params& Params::opt_timestamp(const std::optional<Timestamp>& value) {
    return value ? timestamp(*value) : null(wire::kTimestamptz);
}

Params& Params::opt_jsonb(const std::optional<std::string>& json_text) {
    return json_text ? jsonb(*json_text) : null(wire::kJsonb);
}

// Layout: dimensions, has-null flag, element type, then length and lower bound of the one
// dimension, then each element as length (-1: NULL) and bytes. An empty array has no dimension.
template <typename Value, typename Encode>
Params& Params::array(unsigned array_oid, unsigned element_oid, std::span<const Value> values,
                      Encode encode) {
    begin(array_oid);
    arena_.reserve(arena_.size() + kArrayHeaderBytes + values.size() * (4 + sizeof(Value)));
    const std::size_t start = arena_.size();
    put_integer(std::int32_t{values.empty() ? 0 : 1});
    put_integer(std::int32_t{0});
    put_integer(static_cast<std::int32_t>(element_oid));
    if (!values.empty()) {
        put_integer(static_cast<std::int32_t>(values.size()));
        put_integer(std::int32_t{1});
    }
    bool has_null = false;
    for (const Value& value : values) {
        const std::size_t length_at = arena_.size();
        put_integer(std::int32_t{-1});
        if (encode(value)) {
            const std::size_t length = arena_.size() - length_at - 4;
            wire::write_integer(arena_.data() + length_at, static_cast<std::int32_t>(length));
        } else {
            has_null = true;
        }
    }
    wire::write_integer(arena_.data() + start + 4, std::int32_t{has_null ? 1 : 0});
    finish();
    return *this;
}

Params& Params::boolean_array(std::span<const std::uint8_t> values) {
    return array(wire::kBoolArray, wire::kBool, values, [this](std::uint8_t value) {
        arena_.push_back(value != 0 ? 1 : 0);
        return true;
    });
}

Params& Params::int2_array(std::span<const std::int16_t> values) {
    return array(wire::kInt2Array, wire::kInt2, values, [this](std::int16_t value) {
        put_integer(value);
        return true;
    });
}

Params& Params::int4_array(std::span<const std::int32_t> values) {
    return array(wire::kInt4Array, wire::kInt4, values, [this](std::int32_t value) {
        put_integer(value);
        return true;
    });
}

Params& Params::opt_int4_array(std::span<const std::optional<std::int32_t>> values) {
    return array(wire::kInt4Array, wire::kInt4, values,
                 [this](const std::optional<std::int32_t>& value) {
                     if (value) {
                         put_integer(*value);
                     }
                     return value.has_value();
                 });
}

Params& Params::int8_array(std::span<const std::int64_t> values) {
    return array(wire::kInt8Array, wire::kInt8, values, [this](std::int64_t value) {
        put_integer(value);
        return true;
    });
}

Params& Params::opt_real_array(std::span<const std::optional<double>> values) {
    return array(wire::kFloat8Array, wire::kFloat8, values,
                 [this](const std::optional<double>& value) {
                     if (value) {
                         put_integer(std::bit_cast<std::int64_t>(*value));
                     }
                     return value.has_value();
                 });
}

Params& Params::text_array(std::span<const std::string> values) {
    return array(wire::kTextArray, wire::kText, values, [this](const std::string& value) {
        put(value);
        return true;
    });
}

Params& Params::bytea_array(std::span<const std::string> values) {
    return array(wire::kByteaArray, wire::kBytea, values, [this](const std::string& value) {
        put(value);
        return true;
    });
}

Params& Params::opt_text_array(std::span<const std::optional<std::string>> values) {
    return array(wire::kTextArray, wire::kText, values,
                 [this](const std::optional<std::string>& value) {
                     if (value) {
                         put(*value);
                     }
                     return value.has_value();
                 });
}

Params& Params::raw(unsigned oid, std::string_view bytes) {
    begin(oid);
    put(bytes);
    finish();
    return *this;
}

Params& Params::uuid_array(std::span<const Uuid> values) {
    return array(wire::kUuidArray, wire::kUuid, values, [this](const Uuid& value) {
        put(bytes_of(value.bytes));
        return true;
    });
}

Params& Params::opt_uuid_array(std::span<const std::optional<Uuid>> values) {
    return array(wire::kUuidArray, wire::kUuid, values, [this](const std::optional<Uuid>& value) {
        if (value) {
            put(bytes_of(value->bytes));
        }
        return value.has_value();
    });
}

Params& Params::timestamp_array(std::span<const Timestamp> values) {
    return array(wire::kTimestamptzArray, wire::kTimestamptz, values, [this](Timestamp value) {
        put_integer(to_postgres(value));
        return true;
    });
}

Params& Params::opt_timestamp_array(std::span<const std::optional<Timestamp>> values) {
    return array(wire::kTimestamptzArray, wire::kTimestamptz, values,
                 [this](const std::optional<Timestamp>& value) {
                     if (value) {
                         put_integer(to_postgres(*value));
                     }
                     return value.has_value();
                 });
}

Params& Params::jsonb_array(std::span<const std::string> json_texts) {
    return array(wire::kJsonbArray, wire::kJsonb, json_texts, [this](const std::string& text) {
        arena_.push_back(wire::kJsonbVersion);
        put(text);
        return true;
    });
}

Params& Params::opt_jsonb_array(std::span<const std::optional<std::string>> json_texts) {
    return array(wire::kJsonbArray, wire::kJsonb, json_texts,
                 [this](const std::optional<std::string>& text) {
                     if (text) {
                         arena_.push_back(wire::kJsonbVersion);
                         put(*text);
                     }
                     return text.has_value();
                 });
}

void Params::clear() {
    oids_.clear();
    offsets_.clear();
    lengths_.clear();
    formats_.clear();
    arena_.clear();
    values_.clear();
}

int Params::count() const noexcept {
    return static_cast<int>(oids_.size());
}

const unsigned* Params::types() const noexcept {
    return oids_.data();
}

const char* const* Params::values() const noexcept {
    values_.clear();
    values_.reserve(offsets_.size());
    for (const std::int64_t offset : offsets_) {
        values_.push_back(offset < 0 ? nullptr : arena_.data() + offset);
    }
    return values_.data();
}

const int* Params::lengths() const noexcept {
    return lengths_.data();
}

const int* Params::formats() const noexcept {
    return formats_.data();
}

}  // namespace jobforge::pg
