// jobforge passports replay|export-bundle|qr
#include <fmt/format.h>

#include "cli/commands/passports_commands.h"
#include "cli/commands/use_case.h"
#include "cli/offline/passport_files.h"
#include "cli/view/output.h"
#include "services/passport/stored_passport.h"

namespace jobforge::cli {

namespace {

struct ArtifactOptions {
    std::string version;
    std::string out;
};

int run_replay(const Context& context, const ArtifactOptions& options) {
    return with_id(context, kVersionId, options.version,
                   [&context](engine::TenantCalls& calls, const Uuid& id) -> Status {
                       const auto record = services::load_passport(calls, id);
                       if (!record.ok()) {
                           return record.error();
                       }
                       if (auto same = services::replay_record(*record); !same.ok()) {
                           return same;
                       }
                       print_line(context.json
                                      ? R"({"replayed":true})"
                                      : "OK: compiled again from stored rows, every byte the same");
                       return ok_status();
                   });
}

Status wrote(const Context& context, const std::string& path, std::string_view bytes) {
    if (auto written = write_whole_file(path, bytes); !written.ok()) {
        return written;
    }
    print_line(context.json ? Json::object({{"file", path},
                                            {"bytes", static_cast<std::uint64_t>(bytes.size())}})
                                  .dump()
                            : fmt::format("{}: {} bytes", path, bytes.size()));
    return ok_status();
}

int run_bundle(const Context& context, const ArtifactOptions& options) {
    return with_id(context, kVersionId, options.version,
                   [&](engine::TenantCalls& calls, const Uuid& id) -> Status {
                       const auto record = services::load_passport(calls, id);
                       if (!record.ok()) {
                           return record.error();
                       }
                       const auto bundle = services::bundle_of(*record);
                       if (!bundle.ok()) {
                           return bundle.error();
                       }
                       return wrote(context, options.out, *bundle);
                   });
}

int run_qr(const Context& context, const ArtifactOptions& options) {
    return with_id(context, kVersionId, options.version,
                   [&](engine::TenantCalls& calls, const Uuid& id) -> Status {
                       const auto record = services::load_passport(calls, id);
                       if (!record.ok()) {
                           return record.error();
                       }
                       if (record->qr_png.empty()) {
                           Error error = Error::of(ErrorCode::INVALID_PASSPORT_STATUS,
                                                   "the passport version has no QR code yet");
                           error.hint =
                               "A GENERATE_QR job makes it right after signing: see jobforge jobs "
                               "list --type GENERATE_QR";
                           return error;
                       }
                       return wrote(context, options.out, record->qr_png);
                   });
}

Command add_one(Command passports, Context& context,
                const std::shared_ptr<ArtifactOptions>& options, const std::string& name,
                const std::string& help, int (*run)(const Context&, const ArtifactOptions&)) {
    Command command = add_verb(passports, context, options, name, help, run);
    command.option("VERSION", options->version, "Passport version id").required();
    return command;
}

}  // namespace

void add_passports_artifacts(Command passports, Context& context) {
    add_one(passports, context, std::make_shared<ArtifactOptions>(), "replay",
            "Compile it again from stored rows and compare every byte", &run_replay);
    auto bundle = std::make_shared<ArtifactOptions>();
    add_one(passports, context, bundle, "export-bundle",
            "One file that anybody verifies offline: jobforge passport verify", &run_bundle)
        .option("--out", bundle->out, "The file")
        .required();
    auto qr = std::make_shared<ArtifactOptions>();
    add_one(passports, context, qr, "qr", "The QR code's image", &run_qr)
        .option("--out", qr->out, "The file, a PNG")
        .required();
}

}  // namespace jobforge::cli
