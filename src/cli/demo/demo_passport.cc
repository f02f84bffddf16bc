#include "cli/demo/demo_passport.h"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/text/counted.h"
#include "cli/commands/use_case.h"
#include "cli/demo/demo_receiver.h"
#include "cli/demo/embedded_example.h"
#include "cli/offline/passport_files.h"
#include "cli/serve/passport_service.h"
#include "cli/view/findings_view.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"
#include "services/audit/audit.h"
#include "services/passport/documents.h"
#include "services/passport/passports.h"
#include "services/passport/rule_packages.h"
#include "services/passport/snapshots.h"
#include "services/passport/stored_passport.h"
#include "services/webhooks/webhooks.h"

namespace jobforge::cli {

namespace {

namespace wl = services;

constexpr std::chrono::seconds kLimit{60};
constexpr std::chrono::milliseconds kLook{50};
constexpr const char* kStoryteller = "demo";

// One run of the story. Each step returns an Error that ends it; a signal ends it too.
class Story final {
public:
    Story(const Context& context, engine::TenantCalls calls, Client client, Uuid tenant,
          const Signals& signals, std::string_view heading)
        : context_(context),
          calls_(std::move(calls)),
          client_(std::move(client)),
          tenant_(tenant),
          signals_(signals),
          heading_(heading) {}

    [[nodiscard]] Status tell();

private:
    using Part = Status (Story::*)();

    [[nodiscard]] Status listen();
    [[nodiscard]] Status upload();
    [[nodiscard]] Status seal();
    [[nodiscard]] Status publish();
    [[nodiscard]] Status compile();
    [[nodiscard]] Status activate();
    [[nodiscard]] Status replay();
    [[nodiscard]] Status deliver();
    [[nodiscard]] Status look();

    // Until the job has ended. Its error if it did not succeed.
    [[nodiscard]] Result<JobDetails> finished(const Uuid& job);
    [[nodiscard]] Result<Uuid> passport_of(const Uuid& product);
    [[nodiscard]] Status wait_for_qr();
    template <typename Condition>
    [[nodiscard]] Status wait_until(std::string_view what, Condition condition);
    void step(std::string_view name, const std::string& text) const {
        print_line(fmt::format("  {:<10}{}", name, text));
    }

    const Context& context_;
    engine::TenantCalls calls_;
    Client client_;
    const Uuid tenant_;
    const Signals& signals_;
    const std::string_view heading_;
    std::unique_ptr<DemoReceiver> receiver_;
    Uuid endpoint_, document_, snapshot_, rules_, version_;
    std::string qr_file_;
};

template <typename Condition>
Status Story::wait_until(std::string_view what, Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kLimit;
    for (;;) {
        const Result<bool> done = condition();
        if (!done.ok()) {
            return done.error();
        }
        if (*done || signals_.arrived()) {
            return ok_status();
        }
        if (std::chrono::steady_clock::now() > deadline) {
            return Error::of(
                ErrorCode::TIMEOUT,
                fmt::format("waited {} s for {}; is a worker running?", kLimit.count(), what));
        }
        std::this_thread::sleep_for(kLook);
    }
}

Result<JobDetails> Story::finished(const Uuid& job) {
    std::optional<JobDetails> details;
    auto waited = wait_until("job " + job.to_string(), [&]() -> Result<bool> {
        auto got = client_.get(job);
        if (!got.ok()) {
            return std::move(got).error();
        }
        details = *std::move(got);
        return details->completed_at.has_value();
    });
    if (!waited.ok()) {
        return std::move(waited).error();
    }
    if (details->completed_at && details->status != "SUCCEEDED") {
        return Error::of(ErrorCode::INTERNAL_ERROR,
                         fmt::format("{} ended {}: {}", details->type, details->status,
                                     error_cell(details->last_error)));
    }
    return *std::move(details);
}

Status Story::listen() {
    auto receiver = DemoReceiver::start();
    auto box = secret_box(context_.config);
    if (!receiver.ok() || !box.ok()) {
        return receiver.ok() ? std::move(box).error() : std::move(receiver).error();
    }
    if (*box == nullptr) {
        return Error::of(ErrorCode::CONFIG_MISSING,
                         "the demonstration needs a data directory for its keys (--data)");
    }
    receiver_ = *std::move(receiver);
    auto endpoint = wl::add_webhook_endpoint(
        calls_, **box, tenant_, {receiver_->url(), "receiver of the demonstration", kStoryteller},
        false);
    if (!endpoint.ok()) {
        return std::move(endpoint).error();
    }
    endpoint_ = endpoint->webhook_endpoint_id;
    receiver_->expect_secret(endpoint->secret);
    auto subscribed = wl::subscribe_webhook(calls_, endpoint_,
                                            {"passport.version.signed", "passport.version.active"});
    if (!subscribed.ok()) {
        return std::move(subscribed).error();
    }
    step("webhook",
         fmt::format("{} listens for passport.version.signed and .active", receiver_->url()));
    return ok_status();
}

Status Story::upload() {
    wl::NewDocument document;
    document.kind = "BATTERY_DATA";
    document.name = "ev.json";
    document.content = embedded_example("documents/ev.json");
    document.actor_id = kStoryteller;
    const auto uploaded = wl::upload_document(calls_, document);
    if (!uploaded.ok()) {
        return uploaded.error();
    }
    document_ = uploaded->document_version_id;
    const auto job = finished(uploaded->job_id.value_or(Uuid()));
    if (!job.ok()) {
        return job.error();
    }
    step("document", fmt::format("{} uploaded and parsed: {}", document.name,
                                 counted(integer_of(job->result, "fact_count"), "fact")));
    return ok_status();
}

Status Story::seal() {
    const auto snapshot = wl::create_snapshot(calls_, {"demo", std::nullopt, kStoryteller});
    if (!snapshot.ok()) {
        return snapshot.error();
    }
    snapshot_ = *snapshot;
    const auto added = wl::add_snapshot_facts(calls_, snapshot_, {{}, {document_}, kStoryteller});
    if (!added.ok()) {
        return added.error();
    }
    const auto job = wl::build_snapshot(calls_, snapshot_, kStoryteller);
    if (!job.ok()) {
        return job.error();
    }
    if (auto done = finished(*job); !done.ok()) {
        return std::move(done).error();
    }
    if (signals_.arrived()) {
        return ok_status();
    }
    const auto hash = wl::seal_snapshot(calls_, snapshot_, kStoryteller);
    if (!hash.ok()) {
        return hash.error();
    }
    step("snapshot", fmt::format("{} sealed, sha256 {}", counted(*added, "fact"), *hash));
    return ok_status();
}

Status Story::publish() {
    wl::NewRules rules;
    rules.package = "battery-eu";
    rules.dsl_source = embedded_example("battery-eu.rules");
    rules.tests_source = embedded_example("battery-eu.tests");
    rules.actor_id = kStoryteller;
    const auto uploaded = wl::upload_rules(calls_, rules);
    if (!uploaded.ok()) {
        return uploaded.error();
    }
    rules_ = uploaded->rule_package_version_id;
    const auto job = wl::request_rule_tests(calls_, rules_, 1, kStoryteller);
    if (!job.ok()) {
        return job.error();
    }
    if (auto done = finished(*job); !done.ok()) {
        return std::move(done).error();
    }
    if (signals_.arrived()) {
        return ok_status();
    }
    if (auto published = wl::publish_rules(calls_, rules_, kStoryteller); !published.ok()) {
        return published;
    }
    const auto row = wl::get_rules(calls_, rules_);
    if (!row.ok()) {
        return row.error();
    }
    step("rules", fmt::format("battery-eu version {}: {} of {} test cases passed, published",
                              uploaded->version, cell_of(*row, "run_passed_count"),
                              cell_of(*row, "run_total_cases")));
    return ok_status();
}

Result<Uuid> Story::passport_of(const Uuid& product) {
    const auto passports = wl::list_passports(calls_, {.limit = 200});
    if (!passports.ok()) {
        return passports.error();
    }
    for (const Json& passport : *passports) {
        if (cell_of(passport, "battery_product_id") == product.to_string()) {
            return Uuid::parse(cell_of(passport, "passport_id"));
        }
    }
    return wl::create_passport(calls_, {product, std::nullopt, kStoryteller});
}

Status Story::wait_for_qr() {
    return wait_until("the QR code", [this]() -> Result<bool> {
        auto row = wl::get_passport_version(calls_, version_);
        if (!row.ok()) {
            // Not compiled yet.
            return row.error().code == ErrorCode::NOT_FOUND ? Result<bool>(false)
                                                            : Result<bool>(row.error());
        }
        const Json* code = row->find("qr_payload");
        return code != nullptr && !code->is_null();
    });
}

Status Story::compile() {
    const auto about = Json::parse(embedded_example("products/ev.json"));
    if (!about.ok()) {
        return about.error();
    }
    const auto product = wl::create_product(
        calls_, {cell_of(*about, "sku"), cell_of(*about, "name"), std::nullopt, kStoryteller});
    if (!product.ok()) {
        return product.error();
    }
    const auto passport = passport_of(*product);
    if (!passport.ok()) {
        return passport.error();
    }
    wl::CompileRequest request{*passport, snapshot_, rules_, context_.config.signing_key_id};
    request.actor_id = kStoryteller;
    const auto requested = wl::request_compile(calls_, request);
    if (!requested.ok()) {
        return requested.error();
    }
    version_ = requested->passport_version_id;
    const auto job = finished(requested->job_id);
    if (!job.ok()) {
        return job.error();
    }
    step("compiled",
         fmt::format("{}: payload {} bytes, proof {} bytes", cell_of(*about, "name"),
                     cell_of(job->result, "payload_bytes"), cell_of(job->result, "proof_bytes")));
    return wait_for_qr();
}

Status Story::activate() {
    const auto record = wl::load_passport(calls_, version_);
    if (!record.ok()) {
        return record.error();
    }
    step("signed", fmt::format("with {} (public key {})", record->signing_key_id,
                               record->signing_key.base64()));
    qr_file_ = fmt::format("{}/passport-{}.png", context_.config.data_dir, version_.to_string());
    if (auto made = make_directory(context_.config.data_dir); !made.ok()) {
        return made;
    }
    if (auto written = write_whole_file(qr_file_, record->qr_png); !written.ok()) {
        return written;
    }
    step("QR code", fmt::format("{} says {}", qr_file_, shortened(record->qr_payload, 60)));
    const auto row = wl::get_passport_version(calls_, version_);
    if (!row.ok()) {
        return row.error();
    }
    if (const Json* findings = row->find("findings")) {
        step("checks",
             fmt::format("of the passport by its own rules: {}", finding_counts(*findings)));
    }
    const auto superseded = wl::activate_passport_version(calls_, version_, kStoryteller);
    if (!superseded.ok()) {
        return superseded.error();
    }
    step("active", *superseded ? fmt::format("supersedes {}", (*superseded)->to_string())
                               : std::string("the first version of this passport"));
    return ok_status();
}

Status Story::replay() {
    const auto record = wl::load_passport(calls_, version_);
    if (!record.ok()) {
        return record.error();
    }
    if (auto same = wl::replay_record(*record); !same.ok()) {
        return same;
    }
    step("replay", "OK: compiled again from the stored facts and rules, every byte is the same");
    return ok_status();
}

Status Story::deliver() {
    auto waited = wait_until("the webhooks", [this]() -> Result<bool> {
        return receiver_->verified().size() >= 2 || receiver_->refused() > 0;
    });
    if (!waited.ok()) {
        return waited;
    }
    std::string events;
    for (const std::string& event : receiver_->verified()) {
        events += (events.empty() ? "" : ", ") + event;
    }
    step("delivered", fmt::format("{}: signatures verified by the receiver", events));
    // There is no listener after this.
    return wl::set_webhook_endpoint_status(calls_, endpoint_, "DISABLED");
}

Status Story::look() {
    const auto stored = wl::get_passport_version(calls_, version_);
    if (!stored.ok()) {
        return stored.error();
    }
    const Json row = readable(*stored);
    print_line(fmt::format(
        "\npassport version {} of {}\n  payload   {}\n  proof     {}\n"
        "  receipt   {}\n  issued    {}",
        cell_of(row, "version_number"), cell_of(row, "name"), cell_of(row, "payload_hash"),
        cell_of(row, "proof_root_hash"), cell_of(row, "receipt_hash"), cell_of(row, "issued_at")));
    print_line(
        fmt::format("\n{2}\n  jobforge passports show {0}\n"
                    "  jobforge passports export-bundle {0} --out bundle.json\n"
                    "  jobforge audit verify\n  {1}",
                    version_.to_string(), qr_file_, heading_));
    return ok_status();
}

Status Story::tell() {
    print_line("\ndemo: a battery passport, from the document to the QR code");
    for (const Part part :
         {&Story::listen, &Story::upload, &Story::seal, &Story::publish, &Story::compile,
          &Story::activate, &Story::replay, &Story::deliver, &Story::look}) {
        if (signals_.arrived()) {
            return ok_status();
        }
        if (auto done = (this->*part)(); !done.ok()) {
            return signals_.arrived() ? ok_status() : Status(std::move(done).error());
        }
    }
    return ok_status();
}

}  // namespace

Status run_passport_demo(const Context& context, const std::string& url, const Signals& signals,
                         std::string_view heading) {
    auto tenant = context.tenant_id(url);
    if (!tenant.ok()) {
        return std::move(tenant).error();
    }
    auto client =
        Client::connect({.database_url = url, .tenant_id = *tenant, .created_by = kStoryteller});
    engine::TenantCallsOptions options;
    options.database_url = url;
    options.tenant_id = *tenant;
    options.pool_size = 2;
    auto calls = engine::TenantCalls::connect(std::move(options));
    if (!client.ok() || !calls.ok()) {
        return client.ok() ? std::move(calls).error() : std::move(client).error();
    }
    Story story(context, *std::move(calls), *std::move(client), tenant->value_or(Uuid()), signals,
                heading);
    return story.tell();
}

}  // namespace jobforge::cli
