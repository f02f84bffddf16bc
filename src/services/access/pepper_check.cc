#include "services/access/pepper_check.h"

#include <string_view>
#include <utility>

namespace jobforge::services {

namespace {

constexpr pg::Statement kFingerprint{"pepper_fingerprint", "select jobforge.pepper_fingerprint()"};
constexpr pg::Statement kNote{"note_pepper", "select jobforge.note_pepper($1, $2)::text"};
constexpr std::string_view kNoPrivilege = "42501";

std::string_view bytes_of(const Sha256& digest) noexcept {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

Result<PepperState> compare_pepper(const RunStatement& run, const Pepper& pepper) {
    const auto rows = run(kFingerprint, {});
    if (!rows.ok()) {
        return rows.error();
    }
    if (rows->empty() || rows->is_null(0, 0)) {
        return PepperState::unknown;
    }
    return rows->text(0, 0) == bytes_of(pepper.fingerprint()) ? PepperState::same
                                                              : PepperState::other;
}

Status require_same_pepper(const RunStatement& run, const Pepper& pepper) {
    const auto state = compare_pepper(run, pepper);
    if (!state.ok()) {
        return state.error();
    }
    if (*state != PepperState::other) {
        return ok_status();
    }
    Error error = Error::of(ErrorCode::CONFIG_MISSING,
                            "the API keys of this database were made with another pepper");
    error.hint =
        "Set BPC_API_KEY_PEPPER_BASE64, or JOBFORGE_DATA, as where they were made. With "
        "--new-pepper the key is made all the same: nodes with this pepper then refuse all keys "
        "of before.";
    return error;
}

Status note_pepper(const RunStatement& run, const Pepper& pepper, PepperChange change) {
    pg::Params params;
    params.bytea(bytes_of(pepper.fingerprint())).boolean(change == PepperChange::meant);
    if (auto noted = run(kNote, std::move(params)); !noted.ok()) {
        return noted.error().sqlstate == kNoPrivilege ? ok_status()
                                                      : Status(std::move(noted).error());
    }
    return ok_status();
}

}  // namespace jobforge::services
