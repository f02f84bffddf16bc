#include "cli/offline/trusted_key_argument.h"

#include "cli/offline/passport_inputs.h"

namespace jobforge::cli {
namespace {

Result<Ed25519PublicKey> key_or_file(const std::string& text) {
    if (auto key = Ed25519PublicKey::parse(text); key.ok()) {
        return key;
    }
    const auto content = read_whole_file(text);
    if (!content.ok()) {
        return content.error();
    }
    return Ed25519PublicKey::parse(*content);
}

}  // namespace

Result<passport::TrustedKey> read_trusted_key(const std::string& argument) {
    const auto whole = key_or_file(argument);
    if (whole.ok()) {
        return passport::TrustedKey(*whole);
    }
    const std::size_t equals = argument.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == argument.size()) {
        return whole.error();
    }
    const auto key = key_or_file(argument.substr(equals + 1));
    if (!key.ok()) {
        return key.error();
    }
    return passport::TrustedKey(*key, argument.substr(0, equals));
}

}  // namespace jobforge::cli
