// Full verification of a bundle, offline, with a public key that the caller trusts.
//
// The checks, in order, are those of docs/formats.md: canonical, members, signature, snapshot,
// facts, rules, product, payload, proof, recompile. Up to `payload` they take time linear in the
// file, times a logarithm; the last two run what the file says, and only if a key that the caller
// trusts has signed exactly the content that they run. Pure; any thread. Nothing in the bundle is
// trusted: every hash is recomputed, the proof is checked by a room that does not know the rule
// language, and the rules are run again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "passport/trusted_key.h"

namespace jobforge::passport {

struct BundleCheck {
    std::string_view name;
    bool passed = false;
    std::string detail;  // what is wrong, or what was found
};

struct BundleReport {
    std::vector<BundleCheck> checks;  // those that were made, in order
    // Those that were not: everything behind an unreadable bundle, and what may take long (proof,
    // recompile) of content that was not signed. Otherwise anybody's bundle could keep us busy.
    std::vector<std::string_view> not_made;
    std::vector<std::string> remarks;  // what is not wrong, but should be known

    // Whether every check was made and passed.
    [[nodiscard]] bool ok() const noexcept;
    [[nodiscard]] const BundleCheck* first_failure() const noexcept;  // nullptr: none
};

enum class VerifyEffort {
    all_checks,   // for people: everything that is wrong and cheap to see
    first_fault,  // stop at the first failure: the verdict is the same
};

// A receipt that names another id than the key's fails the check `signature`; if the key's is not
// known, the check's detail says that the name was not checked.
[[nodiscard]] BundleReport verify_bundle(std::string_view bytes, const TrustedKey& trusted,
                                         VerifyEffort effort = VerifyEffort::all_checks);

}  // namespace jobforge::passport
