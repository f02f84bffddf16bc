#include "services/secrets/signing_keys.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "services/secrets/secret_file.h"

namespace jobforge::services {

namespace {

bool is_key_id(std::string_view id) {
    return !id.empty() && id.size() <= 100 && std::all_of(id.begin(), id.end(), [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    });
}

Error in_file(Error error, const std::string& path) {
    error.message = fmt::format("{}: {}", path, error.message);
    return error;
}

}  // namespace

Status SigningKeys::add(std::string key_id, std::string_view private_key_text) {
    if (!is_key_id(key_id)) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         fmt::format("\"{}\" is not a key id: 1 to 100 letters, digits, dots, "
                                     "dashes and underscores",
                                     key_id));
    }
    auto key = Ed25519PrivateKey::parse(private_key_text);
    if (!key.ok()) {
        return std::move(key).error();
    }
    const auto [place, added] = keys_.try_emplace(std::move(key_id), *std::move(key));
    if (!added) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         fmt::format("there are two signing keys \"{}\"", place->first));
    }
    return ok_status();
}

Status SigningKeys::add_directory(const std::string& directory) {
    std::error_code failed;
    std::vector<std::filesystem::path> files;
    for (std::filesystem::directory_iterator at(directory, failed), end; !failed && at != end;
         at.increment(failed)) {
        if (at->is_regular_file() && at->path().extension() != ".pub" &&
            at->path().filename().native().front() != '.') {
            files.push_back(at->path());
        }
    }
    if (failed) {
        return Error::of(ErrorCode::CONFIG_MISSING,
                         fmt::format("cannot read {}: {}", directory, failed.message()));
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
        auto text = read_secret_file(file.string());
        if (!text.ok()) {
            return std::move(text).error();
        }
        const auto name = file.extension() == ".key" ? file.stem() : file.filename();
        if (auto added = add(name.string(), *text); !added.ok()) {
            return in_file(std::move(added).error(), file.string());
        }
    }
    return ok_status();
}

Status SigningKeys::add_or_make(std::string key_id, const std::string& file) {
    auto text = read_or_make_secret(file);
    if (!text.ok()) {
        return std::move(text).error();
    }
    auto added = add(std::move(key_id), *text);
    return added.ok() ? ok_status() : Status(in_file(std::move(added).error(), file));
}

const Ed25519PrivateKey* SigningKeys::find(std::string_view key_id) const noexcept {
    const auto found = keys_.find(key_id);
    return found == keys_.end() ? nullptr : &found->second;
}

std::vector<Ed25519PublicKey> SigningKeys::public_keys() const {
    std::vector<Ed25519PublicKey> keys;
    for (const auto& [key_id, key] : keys_) {
        keys.push_back(key.public_key());
    }
    return keys;
}

}  // namespace jobforge::services
