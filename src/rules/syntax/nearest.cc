#include "rules/syntax/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace jobforge::rules {
namespace {

constexpr std::size_t kLongest = 200;

// Edits between two words: a letter more, less, wrong, or two neighbours swapped. Three rows.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::vector<std::size_t> next(b.size() + 1, i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = row[j] + (a[i] == b[j] ? 0 : 1);
            next[j + 1] = std::min({replaced, row[j + 1] + 1, next[j] + 1});
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) {
                next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
            }
        }
        before = std::exchange(row, std::move(next));
    }
    return row.back();
}

std::string lowered(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    }
    return result;
}

std::vector<std::string_view> segments(std::string_view path) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t dot = path.find('.');
        parts.push_back(path.substr(0, dot));
        if (dot == std::string_view::npos) {
            return parts;
        }
        path.remove_prefix(dot + 1);
    }
}

}  // namespace

std::vector<std::string_view> nearest_names(std::string_view wrong,
                                            std::span<const std::string_view> names,
                                            std::size_t most) {
    if (wrong.size() > kLongest) {
        return {};
    }
    const std::string plain = lowered(wrong);
    const std::size_t limit = std::max<std::size_t>(1, wrong.size() / 3);
    std::vector<std::pair<std::size_t, std::string_view>> near;
    for (const std::string_view name : names) {
        if (name.size() > kLongest || name.empty()) {
            continue;
        }
        const std::size_t found = distance(plain, lowered(name));
        if (found <= limit) {
            near.emplace_back(found, name);
        }
    }
    std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string_view>::first);
    std::vector<std::string_view> best;
    for (const auto& [found, name] : near) {
        if (best.size() < most) {
            best.push_back(name);
        }
    }
    return best;
}

std::vector<std::string_view> nearest_paths(std::string_view wrong,
                                            std::span<const std::string_view> paths,
                                            std::size_t most) {
    std::vector<std::string_view> best = nearest_names(wrong, paths, most);
    const std::string plain = lowered(wrong);
    const auto add = [&](std::string_view part) {
        for (const std::string_view path : paths) {
            if (part.size() > 2 && best.size() < most && path.size() <= kLongest &&
                lowered(path).find(part) != std::string::npos &&
                std::ranges::find(best, path) == best.end()) {
                best.push_back(path);
            }
        }
    };
    add(plain);
    auto parts = segments(plain);
    // The last segment says most: capacity of battery.capacity.
    for (; best.empty() && !parts.empty(); parts.pop_back()) {
        add(parts.back());
    }
    return best;
}

}  // namespace jobforge::rules
