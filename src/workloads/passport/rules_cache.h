// Checked rule packages by the hash of their source.
//
// Checking a package takes longer than evaluating it, and the same few packages compile thousands
// of passports. A package depends on nothing but its text, so tenants may share. Threads: any.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>

#include <jobforge/error.h>

#include "passport/rules/package.h"

namespace jobforge::workloads {

class RulesCache final {
public:
    using Package = std::shared_ptr<const passport::rules::CheckedPackage>;

    // At most `capacity` packages are kept; the one that was used longest ago goes first.
    explicit RulesCache(std::size_t capacity = 32) : capacity_(capacity) {}

    // What check_package says of the source: RULE_PARSE_ERROR, RULE_TYPE_ERROR, ...
    [[nodiscard]] Result<Package> get(const std::string& dsl_source);

private:
    struct Entry {
        std::string sha256;
        Package package;
    };
    [[nodiscard]] Package find(const std::string& sha256);

    const std::size_t capacity_;
    std::mutex mutex_;
    std::list<Entry> entries_;  // most recently used first
};

}  // namespace jobforge::workloads
