// Checked rule packages by the hashes of their sources.
//
// Checking a package takes longer than evaluating it, its sources are larger than everything else a
// compilation reads, and the same few packages compile thousands of passports. A package depends on
// nothing but its texts, so tenants may share. Threads: any.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>

#include <jobforge/error.h>

#include "rules/check/package.h"

namespace jobforge::services {

struct CachedRules {
    std::string dsl_source;
    std::string tests_source;
    std::shared_ptr<const rules::CheckedPackage> package;
};

class RulesCache final {
public:
    // At most `capacity` packages are kept; the one that was used longest ago goes first.
    explicit RulesCache(std::size_t capacity = 32) : capacity_(capacity) {}

    // By the SHA-256 of both sources; nullptr if it has not been added or is forgotten.
    [[nodiscard]] std::shared_ptr<const CachedRules> find(std::string_view dsl_sha256,
                                                          std::string_view tests_sha256);
    // What check_package says of published rules: RULE_PARSE_ERROR, RULE_TYPE_ERROR, ... The tests
    // are only kept.
    [[nodiscard]] Result<std::shared_ptr<const CachedRules>> add(std::string dsl_source,
                                                                 std::string tests_source);

private:
    struct Entry {
        std::string key;
        std::shared_ptr<const CachedRules> rules;
    };

    const std::size_t capacity_;
    std::mutex mutex_;
    std::list<Entry> entries_;  // most recently used first
};

}  // namespace jobforge::services
