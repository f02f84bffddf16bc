#include "values/text_search.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace jobforge {
namespace {

// Up to here the library's search, which is fast on common texts, costs at most this many
// comparisons a byte.
constexpr std::size_t kShortText = 16;

// How far the longest proper prefix reaches that is also a suffix, for each beginning of `what`.
std::vector<std::uint32_t> borders_of(std::string_view what) {
    std::vector<std::uint32_t> borders(what.size(), 0);
    std::uint32_t matched = 0;
    for (std::size_t i = 1; i < what.size(); ++i) {
        while (matched > 0 && what[i] != what[matched]) {
            matched = borders[matched - 1];
        }
        matched += what[i] == what[matched] ? 1U : 0U;
        borders[i] = matched;
    }
    return borders;
}

}  // namespace

// Knuth, Morris and Pratt: no byte of `where` is looked at twice.
bool contains_text(std::string_view where, std::string_view what) {
    if (what.size() > where.size()) {
        return false;
    }
    if (what.size() <= kShortText) {
        return where.find(what) != std::string_view::npos;
    }
    const std::vector<std::uint32_t> borders = borders_of(what);
    std::size_t matched = 0;
    for (const char c : where) {
        while (matched > 0 && c != what[matched]) {
            matched = borders[matched - 1];
        }
        matched += c == what[matched] ? 1U : 0U;
        if (matched == what.size()) {
            return true;
        }
    }
    return false;
}

}  // namespace jobforge
