#include "services/passport/rules_cache.h"

#include <algorithm>

#include "base/crypto/hash.h"

namespace jobforge::services {

namespace {

// Both are 32 bytes, so there is one way to read the two together.
std::string key_of(std::string_view dsl_sha256, std::string_view tests_sha256) {
    return std::string(dsl_sha256) + std::string(tests_sha256);
}

std::string digest(std::string_view text) {
    const Sha256 hash = sha256(text);
    return {hash.begin(), hash.end()};
}

}  // namespace

std::shared_ptr<const CachedRules> RulesCache::find(std::string_view dsl_sha256,
                                                    std::string_view tests_sha256) {
    const std::string key = key_of(dsl_sha256, tests_sha256);
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&key](const Entry& entry) { return entry.key == key; });
    if (found == entries_.end()) {
        return nullptr;
    }
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().rules;
}

Result<std::shared_ptr<const CachedRules>> RulesCache::add(std::string dsl_source,
                                                           std::string tests_source) {
    // The key is computed from the texts: a wrong hash in a row must not poison the cache. Checking
    // happens outside of the lock: a large package must not hold up the others.
    std::string key = key_of(digest(dsl_source), digest(tests_source));
    // Published rules: what they emit in a new passport is checked when they are evaluated.
    auto checked = rules::check_package(rules::SourceText("rules", dsl_source), std::nullopt,
                                        rules::kPublished);
    if (!checked.ok()) {
        return rules::to_error(checked.diagnostics, checked.sources);
    }
    auto rules = std::make_shared<const CachedRules>(
        CachedRules{std::move(dsl_source), std::move(tests_source), std::move(checked.package)});
    const std::lock_guard lock(mutex_);
    entries_.push_front({std::move(key), rules});
    if (entries_.size() > capacity_) {
        entries_.pop_back();
    }
    return rules;
}

}  // namespace jobforge::services
