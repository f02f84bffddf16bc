// jobforge json canon|check|hash
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/json/canonical.h"
#include "base/json/json_check.h"
#include "cli/commands/commands.h"
#include "cli/view/output.h"

namespace jobforge::cli {

namespace {

// A value takes up to 20 times the memory of its text (a list of one-digit numbers): about 2 GB at
// most. The check keeps the text only.
constexpr std::size_t kLargestDocument = std::size_t{64} << 20U;
constexpr std::size_t kLargestChecked = std::size_t{1} << 30U;

struct JsonCommand {
    std::string file = "-";
    bool strict = false;

    [[nodiscard]] std::string source() const { return file == "-" ? "standard input" : file; }
};

struct CloseFile {
    void operator()(std::FILE* file) const noexcept {
        if (file != stdin) {
            static_cast<void>(std::fclose(file));
        }
    }
};

Error unreadable(const JsonCommand& command, int reason) {
    return Error::of(reason == ENOENT ? ErrorCode::NOT_FOUND : ErrorCode::VALIDATION_ERROR,
                     fmt::format("{} cannot be read: {}", command.source(),
                                 std::generic_category().message(reason)));
}

// All bytes of the file, as they are. Stops reading at the limit, so that an endless input ends.
Result<std::string> read_source(const JsonCommand& command, std::size_t limit) {
    const std::unique_ptr<std::FILE, CloseFile> file(
        command.file == "-" ? stdin : std::fopen(command.file.c_str(), "rbe"));
    if (file == nullptr) {
        return unreadable(command, errno);
    }
    constexpr std::size_t kPiece = std::size_t{1} << 20U;
    std::string bytes;
    for (;;) {
        const std::size_t before = bytes.size();
        bytes.resize(before + kPiece);
        const std::size_t got = std::fread(bytes.data() + before, 1, kPiece, file.get());
        bytes.resize(before + got);
        if (bytes.size() > limit) {
            return Error::of(ErrorCode::PAYLOAD_LIMIT,
                             fmt::format("{} is longer than {} MiB, which is the limit of this "
                                         "command",
                                         command.source(), limit >> 20U));
        }
        if (got < kPiece) {
            break;
        }
    }
    if (std::ferror(file.get()) != 0) {
        return unreadable(command, errno);
    }
    return bytes;
}

Error in_source(const JsonCommand& command, Error error) {
    error.message = fmt::format("{}: {}", command.source(), error.message);
    return error;
}

Result<std::string> canonical_source(const JsonCommand& command) {
    auto text = read_source(command, kLargestDocument);
    if (!text.ok()) {
        return std::move(text).error();
    }
    auto value = Json::parse(*text);
    if (!value.ok()) {
        return in_source(command, std::move(value).error());
    }
    auto bytes = canonical(*value);
    if (!bytes.ok()) {
        return in_source(command, std::move(bytes).error());
    }
    return bytes;
}

int run_canon(const Context& context, const JsonCommand& command) {
    auto bytes = canonical_source(command);
    if (!bytes.ok()) {
        return context.fail(bytes.error());
    }
    // Half a document must not pass for one.
    if (std::fwrite(bytes->data(), 1, bytes->size(), stdout) != bytes->size() ||
        std::fflush(stdout) != 0) {
        return context.fail(Error::of(ErrorCode::INTERNAL_ERROR,
                                      fmt::format("standard output cannot be written: {}",
                                                  std::generic_category().message(errno))));
    }
    return kOk;
}

int run_hash(const Context& context, const JsonCommand& command) {
    auto bytes = canonical_source(command);
    if (!bytes.ok()) {
        return context.fail(bytes.error());
    }
    const std::string hash = sha256_hex(*bytes);
    print_line(context.json ? Json::object({{"sha256", hash}}).dump() : hash);
    return kOk;
}

int run_check(const Context& context, const JsonCommand& command) {
    auto text = read_source(command, command.strict ? kLargestDocument : kLargestChecked);
    if (!text.ok()) {
        return context.fail(text.error());
    }
    if (auto checked = check_json(*text); !checked.ok()) {
        return context.fail(in_source(command, std::move(checked).error()));
    }
    if (command.strict) {
        if (auto value = Json::parse(*text); !value.ok()) {
            return context.fail(in_source(command, std::move(value).error()));
        }
    }
    return kOk;
}

}  // namespace

void add_json(Command program, Context& context) {
    Command json = program.group("json", "Check, hash and canonicalise JSON documents");
    auto command = std::make_shared<JsonCommand>();
    const auto add = [&](const char* name, const char* purpose, auto run) {
        Command added = json.subcommand(name, purpose);
        added.option("FILE", command->file, "The document; - or nothing: standard input");
        added.runs([&context, command, run] { return run(context, *command); });
        return added;
    };
    add("canon", "The canonical bytes (BPC-CJSON-1), without a newline behind them", run_canon);
    add("hash", "SHA-256 of the canonical bytes", run_hash);
    add("check", "Whether it is JSON (RFC 8259); silent if so", run_check)
        .flag("--strict", command->strict,
              "Also what our own documents must keep: no repeated keys, 128 levels, no U+0000, "
              "no lone surrogates");
}

}  // namespace jobforge::cli
