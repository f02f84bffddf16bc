// jobforge rules fmt [--check] FILE...
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "cli/offline/passport_inputs.h"
#include "cli/offline/rules_commands.h"
#include "cli/view/output.h"
#include "rules/format/format.h"

namespace jobforge::cli {
namespace {

using rules::Diagnostics;
using rules::SourceText;

struct FmtOptions {
    std::vector<std::string> files;
    bool check = false;
};

// Written beside it and renamed over it: whatever fails, the author's file is whole.
Status rewrite(const std::string& file, const std::string& text) {
    namespace fs = std::filesystem;
    std::error_code failed;
    const fs::path target = fs::canonical(file, failed);  // through a link, to what it names
    const fs::path fresh = fs::path(target) += ".formatted";
    if (!failed) {
        std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
        out << text;
        out.close();
        failed = out ? std::error_code() : std::make_error_code(std::errc::io_error);
    }
    if (!failed) {
        fs::permissions(fresh, fs::status(target).permissions(), failed);
    }
    if (!failed) {
        fs::rename(fresh, target, failed);
    }
    if (failed) {
        std::error_code ignored;
        fs::remove(fresh, ignored);
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         fmt::format("cannot write {}: {}", file, failed.message()));
    }
    return ok_status();
}

// False if the file could not be formatted, or should have been.
bool format_file(const Context& context, const FmtOptions& options, const std::string& file) {
    auto text = read_whole_file(file);
    if (!text.ok()) {
        static_cast<void>(context.fail(text.error()));
        return false;
    }
    const std::vector<SourceText> sources{SourceText(file, std::move(*text))};
    Diagnostics diagnostics;
    const auto formatted = rules::format(sources[0], diagnostics);
    if (!formatted) {
        std::fputs(render(diagnostics, sources).c_str(), stderr);
        return false;
    }
    const bool differs = *formatted != sources[0].text();
    if (options.check) {
        if (differs) {
            print_line(file);
        }
        return !differs;
    }
    if (file == "-") {
        print(*formatted);
        return true;
    }
    const Status written = differs ? rewrite(file, *formatted) : ok_status();
    if (!written.ok()) {
        static_cast<void>(context.fail(written.error()));
    }
    return written.ok();
}

int run_fmt(const Context& context, const FmtOptions& options) {
    bool ok = true;
    for (const std::string& file : options.files) {
        ok = format_file(context, options, file) && ok;
    }
    return ok ? kOk : kFailed;
}

}  // namespace

void add_rules_fmt(Command rules, Context& context) {
    Command command = rules.subcommand("fmt", "Rewrite rules in the one layout");
    auto options = std::make_shared<FmtOptions>();
    command.option("FILE", options->files, "Files to rewrite (- is standard input to output)")
        .required();
    command.flag("--check", options->check,
                 "Change nothing; name the files that differ and exit 1");
    command.runs([&context, options] { return run_fmt(context, *options); });
}

}  // namespace jobforge::cli
