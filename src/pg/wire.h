// Postgres's binary wire format: type numbers, byte order, epoch. Private to src/pg.
//
// The type numbers are fixed in pg_type.dat and have not changed since they were introduced.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace jobforge::pg::wire {

inline constexpr unsigned kBool = 16;
inline constexpr unsigned kBytea = 17;
inline constexpr unsigned kName = 19;
inline constexpr unsigned kInt8 = 20;
inline constexpr unsigned kInt2 = 21;
inline constexpr unsigned kInt4 = 23;
inline constexpr unsigned kText = 25;
inline constexpr unsigned kOid = 26;
inline constexpr unsigned kJson = 114;
inline constexpr unsigned kFloat8 = 701;
inline constexpr unsigned kUnknown = 705;
inline constexpr unsigned kBpchar = 1042;
inline constexpr unsigned kVarchar = 1043;
inline constexpr unsigned kTimestamptz = 1184;
inline constexpr unsigned kUuid = 2950;
inline constexpr unsigned kJsonb = 3802;

inline constexpr unsigned kBoolArray = 1000;
inline constexpr unsigned kInt2Array = 1005;
inline constexpr unsigned kInt4Array = 1007;
inline constexpr unsigned kByteaArray = 1001;
inline constexpr unsigned kTextArray = 1009;
inline constexpr unsigned kInt8Array = 1016;
inline constexpr unsigned kFloat8Array = 1022;
inline constexpr unsigned kTimestamptzArray = 1185;
inline constexpr unsigned kUuidArray = 2951;
inline constexpr unsigned kJsonbArray = 3807;

// Types made by CREATE TYPE start here; an enum's binary form is its label.
inline constexpr unsigned kFirstUserType = 16384;

inline constexpr char kJsonbVersion = 1;

// 2000-01-01T00:00:00Z, where Postgres counts from, in microseconds since 1970.
inline constexpr std::int64_t kEpochUs = 946'684'800'000'000;

template <std::integral Integer>
[[nodiscard]] inline Integer read_integer(const char* bytes) noexcept {
    using Unsigned = std::make_unsigned_t<Integer>;
    Unsigned value = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
        value = static_cast<Unsigned>((static_cast<std::uint64_t>(value) << 8) |
                                      static_cast<unsigned char>(bytes[i]));
    }
    return static_cast<Integer>(value);
}

// Writes big-endian; compilers turn the loop into one byte swap.
template <std::integral Integer>
inline void write_integer(char* bytes, Integer value) noexcept {
    auto rest = static_cast<std::make_unsigned_t<Integer>>(value);
    for (std::size_t i = sizeof(Integer); i-- > 0;) {
        bytes[i] = static_cast<char>(rest & 0xFFU);
        rest = static_cast<std::make_unsigned_t<Integer>>(static_cast<std::uint64_t>(rest) >> 8);
    }
}

}  // namespace jobforge::pg::wire
