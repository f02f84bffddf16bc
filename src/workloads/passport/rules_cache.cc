#include "workloads/passport/rules_cache.h"

#include <algorithm>

#include "core/hash.h"

namespace jobforge::workloads {

RulesCache::Package RulesCache::find(const std::string& sha256) {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(entries_.begin(), entries_.end(),
                     [&sha256](const Entry& entry) { return entry.sha256 == sha256; });
    if (found == entries_.end()) {
        return nullptr;
    }
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().package;
}

Result<RulesCache::Package> RulesCache::get(const std::string& dsl_source) {
    const std::string sha256 = sha256_hex(dsl_source);
    if (Package known = find(sha256)) {
        return known;
    }
    // Outside of the lock: a large package must not hold up the others. Two threads may check the
    // same one; both results are equal.
    auto checked = passport::rules::check_package(passport::rules::SourceText("rules", dsl_source));
    if (!checked.ok()) {
        return passport::rules::to_error(checked.diagnostics, checked.sources);
    }
    const std::lock_guard lock(mutex_);
    entries_.push_front({sha256, checked.package});
    if (entries_.size() > capacity_) {
        entries_.pop_back();
    }
    return std::move(checked.package);
}

}  // namespace jobforge::workloads
