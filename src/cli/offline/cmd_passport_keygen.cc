// jobforge passport keygen --out FILE
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "base/crypto/ed25519.h"
#include "base/text/base64.h"
#include "cli/offline/passport_commands.h"
#include "cli/offline/passport_files.h"
#include "cli/view/output.h"

namespace jobforge::cli {
namespace {

constexpr unsigned kSecretMode = 0600;
constexpr unsigned kPublicMode = 0644;

// Wipes what it holds: the seed must not stay in freed memory.
struct Secret {
    Secret() = default;
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;
    ~Secret() { explicit_bzero(text.data(), text.size()); }
    std::string text;
};

Result<std::string> make_key(const std::string& path) {
    Secret seed;
    seed.text.resize(32);
    if (getentropy(seed.text.data(), seed.text.size()) != 0) {
        return Error::of(ErrorCode::INTERNAL_ERROR, "The system gives no random bytes.");
    }
    const auto key = Ed25519PrivateKey::from_seed(seed.text);
    if (!key.ok()) {
        return key.error();
    }
    Secret encoded;
    encoded.text = base64_encode(seed.text) + "\n";
    if (auto made = write_new_file(path, encoded.text, kSecretMode); !made.ok()) {
        return std::move(made).error();
    }
    std::string public_text = key->public_key().base64();
    if (auto made = write_new_file(path + ".pub", public_text + "\n", kPublicMode); !made.ok()) {
        return std::move(made).error();
    }
    return public_text;
}

int run_keygen(const Context& context, const std::string& path) {
    const auto public_key = make_key(path);
    if (!public_key.ok()) {
        return context.fail(public_key.error());
    }
    if (context.json) {
        print_line(Json::object({{"private_key_file", path},
                                 {"public_key", *public_key},
                                 {"public_key_file", path + ".pub"}})
                       .dump());
    } else {
        print_line(fmt::format("private key  {} (keep it secret)\npublic key   {}.pub: {}", path,
                               path, *public_key));
    }
    return kOk;
}

}  // namespace

void add_passport_keygen(Command passport, Context& context) {
    auto path = std::make_shared<std::string>();
    Command command = passport.subcommand("keygen", "Make an Ed25519 key pair");
    command.option("--out", *path, "File for the private key; the public one gets .pub").required();
    command.runs([&context, path] { return run_keygen(context, *path); });
}

}  // namespace jobforge::cli
