// Dependency order and cycles, without recursion: a chain of fields may be as long as the source.
#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "rules/check/checker.h"

namespace jobforge::rules {

DependencyOrder order_by_dependency(const std::vector<std::string_view>& names,
                                    const std::vector<std::vector<std::size_t>>& dependencies) {
    std::vector<std::vector<std::size_t>> dependents(names.size());
    std::vector<std::size_t> open(names.size());
    const auto later = [&names](std::size_t a, std::size_t b) {
        return std::pair(names[a], a) > std::pair(names[b], b);
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> ready(later);
    for (std::size_t node = 0; node < names.size(); ++node) {
        open[node] = dependencies[node].size();
        for (const std::size_t dependency : dependencies[node]) {
            dependents[dependency].push_back(node);
        }
        if (open[node] == 0) {
            ready.push(node);
        }
    }
    DependencyOrder result;
    while (!ready.empty()) {
        const std::size_t node = ready.top();
        ready.pop();
        result.order.push_back(node);
        for (const std::size_t dependent : dependents[node]) {
            if (--open[dependent] == 0) {
                ready.push(dependent);
            }
        }
    }
    for (std::size_t node = 0; node < names.size(); ++node) {
        if (open[node] > 0) {
            result.unordered.push_back(node);
        }
    }
    return result;
}

// Every unordered node depends on an unordered one. So following the smallest unordered dependency
// from any of them ends in a cycle; each node is walked once.
std::vector<std::vector<std::size_t>> find_cycles(
    const std::vector<std::string_view>& names,
    const std::vector<std::vector<std::size_t>>& dependencies,
    const std::vector<std::size_t>& unordered) {
    std::vector<bool> is_unordered(names.size());
    for (const std::size_t node : unordered) {
        is_unordered[node] = true;
    }
    std::vector<std::size_t> walk_of(names.size(), 0);  // number of the walk that met the node
    std::vector<std::vector<std::size_t>> cycles;
    std::size_t walk = 0;
    for (const std::size_t start : unordered) {
        ++walk;
        std::vector<std::size_t> path;
        std::size_t node = start;
        while (walk_of[node] == 0) {
            walk_of[node] = walk;
            path.push_back(node);
            node = *std::ranges::find_if(dependencies[node], [&is_unordered](std::size_t next) {
                return is_unordered[next];
            });
        }
        if (walk_of[node] != walk) {
            continue;  // ran into what was reported already
        }
        std::vector<std::size_t> cycle(std::ranges::find(path, node), path.end());
        std::ranges::rotate(cycle, std::ranges::min_element(
                                       cycle, {}, [&names](std::size_t i) { return names[i]; }));
        cycles.push_back(std::move(cycle));
    }
    return cycles;
}

}  // namespace jobforge::rules
