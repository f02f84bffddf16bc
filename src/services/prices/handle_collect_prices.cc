#include <fmt/format.h>

#include "connect/http/decompress.h"
#include "connect/http/tracing.h"
#include "prices/valuation.h"
#include "services/connectors/call_secrets.h"
#include "services/jobs/governor_calls.h"
#include "services/jobs/outgoing_slot.h"
#include "services/jobs/step.h"
#include "services/prices/cache_key.h"
#include "services/prices/collection_inputs.h"
#include "services/prices/manual_prices.h"
#include "services/prices/price_handlers.h"
#include "services/prices/price_points.h"
#include "services/prices/read_pages.h"
#include "statements/prices.h"

namespace jobforge::services {

namespace {

// One run of the job. Each part answers nullopt to go on, or how the job ends.
class CollectPrices final {
public:
    CollectPrices(JobContext& context, const PriceSettings& settings, TenantReads& reads,
                  CollectionInputs inputs)
        : context_(context), settings_(settings), reads_(reads), inputs_(std::move(inputs)) {}

    [[nodiscard]] Outcome run();

private:
    [[nodiscard]] std::optional<Outcome> take_manual();
    [[nodiscard]] std::optional<Outcome> ask_source();
    [[nodiscard]] Result<PageSource> page_source();
    [[nodiscard]] Status set_auth(PageSource& source);
    [[nodiscard]] bool take_cached(const std::string& key);
    void keep_in_cache(const std::string& key);
    [[nodiscard]] Outcome stopped(Outcome outcome, const std::string& key,
                                  std::int64_t pages_before);
    [[nodiscard]] Outcome store();

    JobContext& context_;
    const PriceSettings& settings_;
    TenantReads& reads_;
    const CollectionInputs inputs_;
    Collection collection_;
    std::int64_t least_match_ = 0;
    bool cached_ = false;
};

std::optional<Outcome> CollectPrices::take_manual() {
    const auto config = ManualConfig::from_json(inputs_.config);
    if (!config.ok()) {
        return Fail{JobError(config.error())};
    }
    least_match_ = config->least_match;
    collection_.observations = config->prices;
    if (const Json* const given = context_.job().payload.find("prices")) {
        auto prices = manual_prices(*given);
        if (!prices.ok()) {
            return Fail{JobError("JOB_PAYLOAD_INVALID", prices.error().message)};
        }
        collection_.observations = *std::move(prices);
        least_match_ = 0;  // named for this very intake
    }
    collection_.items = static_cast<std::int64_t>(collection_.observations.size());
    return std::nullopt;
}

Status CollectPrices::set_auth(PageSource& source) {
    if (source.config.auth.is_null()) {
        return ok_status();
    }
    if (settings_.https_only && !inputs_.base_url.starts_with("https://")) {
        return Error::of(ErrorCode::SSRF_BLOCKED, "secrets are sent over https only here");
    }
    auto name = text_member(source.config.auth, "secret_ref");
    auto secret = name.ok() ? settings_.secrets->find(*name, context_.job().tenant_id) : name;
    if (!secret.ok()) {
        return std::move(secret).error();
    }
    auto header = auth_header(source.config.auth, *secret);
    if (!header.ok()) {
        return std::move(header).error();
    }
    source.redactor = redactor_of(*secret, header->second);
    replace_header(source.headers, *std::move(header));
    return ok_status();
}

Result<PageSource> CollectPrices::page_source() {
    auto config = HttpJsonConfig::from_json(inputs_.config);
    auto origin = SourceOrigin::make(inputs_.base_url, inputs_.allowed_path);
    if (!config.ok() || !origin.ok()) {
        return config.ok() ? std::move(origin).error() : std::move(config).error();
    }
    PageSource source{*std::move(config),
                      *std::move(origin),
                      {},
                      {},
                      inputs_.now,
                      context_.job().tenant_id.to_string()};
    source.headers = source.config.headers;
    auto set = set_auth(source);
    return set.ok() ? Result<PageSource>(std::move(source)) : std::move(set).error();
}

bool CollectPrices::take_cached(const std::string& key) {
    const auto bytes = settings_.cache ? settings_.cache->get(key) : std::nullopt;
    const auto value = bytes ? Json::parse(*bytes) : Result<Json>(Json());
    auto kept = value.ok() ? Collection::from_json(*value, key) : Result<Collection>(value.error());
    if (!kept.ok()) {
        return false;
    }
    collection_ = *std::move(kept);
    cached_ = true;
    return true;
}

void CollectPrices::keep_in_cache(const std::string& key) {
    if (!settings_.cache) {
        return;
    }
    const auto kept =
        settings_.cache->put(key, collection_.to_json(key).dump(), settings_.cache_ttl);
    if (!kept.ok()) {
        context_.log().warn("the answer was not kept in the cache",
                            {{"reason", kept.error().message}});
    }
}

std::optional<Outcome> CollectPrices::ask_source() {
    auto source = page_source();
    if (!source.ok()) {
        return Fail{JobError(source.error())};
    }
    least_match_ = source->config.least_match;
    const Query query = Query::of(inputs_.intake);
    const std::string key =
        cache_key(context_.job().tenant_id, inputs_.source_id,
                  Json::array({inputs_.base_url, inputs_.allowed_path, inputs_.config}), query);
    if (take_cached(key)) {
        return std::nullopt;
    }
    if (auto progress = Collection::from_json(inputs_.progress, key); progress.ok()) {
        collection_ = *std::move(progress);
    } else {
        auto first = source->origin.first_page(source->config.path, query);
        if (!first.ok()) {
            return Fail{JobError(first.error())};
        }
        collection_.next = *std::move(first);
    }
    const auto slot = outgoing_slot(settings_.calls, context_);
    if (!slot.ok()) {
        return outcome_or_snooze(slot.error());
    }
    const std::int64_t pages_before = collection_.pages;
    PostgresGovernor governor(reads_, context_.job().tenant_id, GovernorKind::source,
                              inputs_.source_id.to_string());
    connect::Decompress decompress(*settings_.http);
    connect::Traced traced(decompress, context_.job().trace_id);
    auto outcome = read_pages(*source, traced, governor, context_.stop_token(), collection_);
    if (outcome) {
        return stopped(*std::move(outcome), key, pages_before);
    }
    keep_in_cache(key);
    return std::nullopt;
}

// The job ends before its last page. What it has read goes with the outcome, unless the job is
// over.
Outcome CollectPrices::stopped(Outcome outcome, const std::string& key, std::int64_t pages_before) {
    if (collection_.pages == pages_before || std::holds_alternative<Fail>(outcome)) {
        return outcome;
    }
    Step step(context_);
    pg::Params params;
    params.uuid(inputs_.intake_id).uuid(inputs_.source_id).jsonb(collection_.to_json(key).dump());
    auto saved = step.call(statements::prices::kSaveCollectionProgress, params);
    return saved.ok() ? outcome : outcome_of(saved.error());
}

// The valuation of all points of the intake that `rows` of store_price_points hold.
Result<Valuation> value_all(const pg::Rows& rows, const Intake& intake) {
    const auto points = Json::parse(rows.json(0, 3));
    if (!points.ok() || !points->is_array()) {
        return Error::of(ErrorCode::INTERNAL_ERROR, "store_price_points answered no list");
    }
    std::vector<PricePoint> all;
    for (const Json& row : *points->as_array()) {
        auto point = PricePoint::from_json(row);
        if (!point.ok()) {
            return std::move(point).error();
        }
        all.push_back(*std::move(point));
    }
    return valuation_of(all, intake.condition_flags());
}

Outcome CollectPrices::store() {
    const ChosenPoints chosen =
        choose_points(collection_.observations, inputs_.intake, inputs_.rules, least_match_);
    Step step(context_);
    pg::Params params;
    params.uuid(inputs_.intake_id)
        .uuid(inputs_.source_id)
        .jsonb(chosen.points.dump())
        .uuid(context_.job().job_id);
    const auto stored = step.call(statements::prices::kStorePricePoints, params);
    if (!stored.ok()) {
        return outcome_of(stored.error());
    }
    const auto valuation = value_all(*stored, inputs_.intake);
    if (!valuation.ok()) {
        return outcome_of(valuation.error());
    }
    const Json value = valuation->to_json();
    pg::Params valued;
    valued.uuid(inputs_.intake_id).jsonb(value.dump()).uuid(context_.job().job_id);
    step.call_at_end(statements::prices::kStoreValuation, std::move(valued));
    return Done{Json::object({{"source", inputs_.name},
                              {"cached", cached_},
                              {"pages", collection_.pages},
                              {"items", collection_.items},
                              {"skipped", to_json(collection_.skipped)},
                              {"left_out", to_json(chosen.left_out)},
                              {"inserted", stored->integer(0, 0)},
                              {"updated", stored->integer(0, 1)},
                              {"kept", stored->integer(0, 2)},
                              {"comparables", valuation->comparables},
                              {"confidence", valuation->confidence.score}})};
}

Outcome CollectPrices::run() {
    if (!inputs_.enabled) {
        return Fail{JobError("SOURCE_DISABLED",
                             fmt::format("the source {} is switched off", inputs_.name))};
    }
    const bool manual = inputs_.adapter == "manual";
    if (!manual && context_.job().payload.find("prices") != nullptr) {
        return Fail{JobError("JOB_PAYLOAD_INVALID",
                             "only a source of the adapter manual takes \"prices\"")};
    }
    if (auto ended = manual ? take_manual() : ask_source()) {
        return *std::move(ended);
    }
    return store();
}

Outcome collect(JobContext& context, const PriceSettings& settings, TenantReads& reads) {
    auto inputs = CollectionInputs::read(reads, context.job());
    if (!inputs.ok()) {
        return outcome_or_snooze(inputs.error());
    }
    return CollectPrices(context, settings, reads, *std::move(inputs)).run();
}

}  // namespace

void add_price_handlers(Worker& worker, PriceSettings settings) {
    auto shared = std::make_shared<const PriceSettings>(std::move(settings));
    auto reads = std::make_shared<TenantReads>(shared->database_url, shared->connections);
    worker.on("COLLECT_PRICES",
              [shared, reads](JobContext& context) { return collect(context, *shared, *reads); });
}

}  // namespace jobforge::services
