#include "services/prices/collection_inputs.h"

#include "prices/price_members.h"
#include "services/jobs/step.h"
#include "statements/prices.h"

namespace jobforge::services {

namespace {

Status read_source(const Json& source, CollectionInputs& out) {
    Members members(source, "source");
    members.text("name", out.name)
        .text("adapter", out.adapter)
        .text("base_url", out.base_url)
        .boolean("enabled", out.enabled);
    if (const Json* const config = members.any("config")) {
        out.config = *config;
    }
    return members.end();
}

Status read_rules(const Json& rules, CollectionInputs& out) {
    Members members(rules, "rules");
    members.texts("exclude_keywords", out.rules.exclude)
        .texts("require_keywords", out.rules.require_all)
        .text("allowed_path", out.allowed_path);
    return members.end();
}

Status read_intake(const Json& row, CollectionInputs& out) {
    auto intake = Intake::from_json(row);
    if (!intake.ok()) {
        return std::move(intake).error();
    }
    out.intake = *std::move(intake);
    const auto& exclude = out.intake.keywords_exclude;
    out.rules.exclude.insert(out.rules.exclude.end(), exclude.begin(), exclude.end());
    out.rules.include_any = out.intake.keywords_include;
    return ok_status();
}

Status read_parts(const Json& inputs, CollectionInputs& out) {
    Members members(inputs, "inputs");
    const Json* const source = members.any("source");
    const Json* const rules = members.any("rules");
    const Json* const intake = members.any("intake");
    const Json* const progress = members.any("progress");
    if (source == nullptr || intake == nullptr) {
        return Error::of(ErrorCode::INTERNAL_ERROR, "collection_inputs lacks source or intake");
    }
    out.progress = progress == nullptr ? Json() : *progress;
    if (auto read = read_source(*source, out); !read.ok()) {
        return read;
    }
    if (rules != nullptr) {
        if (auto read = read_rules(*rules, out); !read.ok()) {
            return read;
        }
    }
    return read_intake(*intake, out);
}

}  // namespace

Result<CollectionInputs> CollectionInputs::read(TenantReads& reads, const Job& job) {
    const auto intake = uuid_member(job.payload, "intake_id");
    const auto source = uuid_member(job.payload, "source_id");
    if (!intake.ok() || !source.ok()) {
        return intake.ok() ? source.error() : intake.error();
    }
    pg::Params params;
    params.uuid(*intake).uuid(*source);
    const auto row = reads.read(job.tenant_id, statements::prices::kCollectionInputs, params);
    if (!row.ok()) {
        return row.error();
    }
    const auto inputs = Json::parse(row->json(0, 0));
    if (!inputs.ok()) {
        return inputs.error();
    }
    CollectionInputs out;
    out.intake_id = *intake;
    out.source_id = *source;
    const std::chrono::microseconds time(row->timestamp(0, 1).unix_us);
    out.now = std::chrono::floor<std::chrono::seconds>(std::chrono::sys_time(time));
    auto read = read_parts(*inputs, out);
    return read.ok() ? Result<CollectionInputs>(std::move(out)) : std::move(read).error();
}

}  // namespace jobforge::services
