// What the public page of a passport says about it before it shows the passport itself: whether it
// is in force, whether its signature fits, what its own checks found, how much it says, and to
// which version a printed code belongs. HTML, pure.
#pragma once

#include <string>

#include "api/pages/passport_page.h"

namespace jobforge::api {

// How much of what is public says something.
struct PublicContents {
    int fields = 0;
    int stated = 0;
    // Less than a third, or fewer than three whatever the rules ask for: one field of one says as
    // little as one of ten. Such a passport is never called valid. docs/passports.md says so.
    [[nodiscard]] bool next_to_nothing() const noexcept {
        return stated * 3 < fields || stated < kLeastStated;
    }
    static constexpr int kLeastStated = 3;
};
[[nodiscard]] PublicContents contents_of(const PublicPassport& passport);

// A hash as the code has it; empty for what is not hex.
[[nodiscard]] std::string base32_of_hex(const std::string& hex);
// "ph=...&pr=...&rh=...": what stands behind the # of a printed code's link (BPC-QR-1).
[[nodiscard]] std::string code_hashes(const PassportHashes& hashes);

// One word for all of it. "Valid" is only what is in force, has a signature that fits, was checked,
// has no entry that fails, accepted or not, and says more than next to nothing.
[[nodiscard]] std::string verdict_box(const PublicPassport& passport);
// The signature, the checks and the contents, each for itself.
[[nodiscard]] std::string judgements(const PublicPassport& passport);
// A paragraph for each version, hidden unless the page was opened with that version's code.
[[nodiscard]] std::string printed_codes(const PublicPassport& passport);
// What is shown if it was opened with none of them. A later sibling of those.
[[nodiscard]] std::string no_printed_code();
// The entries that fail or warn; empty without any.
[[nodiscard]] std::string finding_list(const PublicPassport& passport);

}  // namespace jobforge::api
