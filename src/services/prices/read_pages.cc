#include "services/prices/read_pages.h"

#include <iterator>

#include <fmt/format.h>

#include "connect/http/classify.h"
#include "services/jobs/outgoing_slot.h"

namespace jobforge::services {

namespace {

constexpr std::size_t kMostObservations = 10'000;

// One answer, as it is understood: a page, or how the job ends.
struct Understood {
    std::optional<ListingPage> page;
    std::optional<Outcome> outcome;
};

connect::HttpRequest request_of(const PageSource& source, const std::string& url) {
    connect::HttpRequest request;
    request.url = url;
    request.tenant = source.tenant;
    request.headers = source.headers;
    request.timeout = source.config.timeout;
    request.max_response_bytes = static_cast<std::size_t>(source.config.max_response_bytes);
    request.max_decoded_bytes = request.max_response_bytes;
    request.decompress = true;
    return request;
}

Outcome failure(const PageSource& source, const Result<connect::HttpResponse>& response,
                const connect::Classified& meaning) {
    if (!response.ok() && connect::refused_for(response.error())) {
        return outcome_or_snooze(response.error());  // a shortage of ours: the source was not asked
    }
    JobError error("HTTP_STATUS_UNEXPECTED", "");
    if (response.ok()) {
        error.message = fmt::format("the source answered {}", response->status);
        error.details = Json::object({{"http_status", response->status}});
    } else {
        error = JobError(response.error());
        error.message = source.redactor.apply(error.message);
    }
    if (meaning.kind == connect::Classified::Kind::retry) {
        return Retry{error, meaning.retry_after};
    }
    return Fail{error};
}

Understood understand(const PageSource& source, const Result<connect::HttpResponse>& response,
                      const connect::Classified& meaning) {
    if (!meaning.ok()) {
        return {std::nullopt, failure(source, response, meaning)};
    }
    if (response->truncated) {
        return {std::nullopt,
                Fail{JobError("VALIDATION_ERROR",
                              fmt::format("the source's answer has more than {} bytes",
                                          source.config.max_response_bytes))}};
    }
    auto page = map_answer(source.config, source.redactor.apply(response->body));
    if (!page.ok()) {
        return {std::nullopt, Fail{JobError(page.error())}};
    }
    return {*std::move(page), std::nullopt};
}

// Tells the governor what was learnt about the source, if anything was. A report that fails is not
// the job's failure: the source has answered, and the breaker learns from the next one.
void report(connect::Governor& governor, const connect::Permit& permit,
            const connect::Classified& meaning, bool usable) {
    if (meaning.peer != connect::Classified::Peer::unknown) {
        const bool ok = meaning.peer == connect::Classified::Peer::healthy && usable;
        (void)governor.report(permit, {ok, meaning.retry_after});
    }
}

// Adds the page; the URL of the next one, or empty.
Result<std::string> take_page(const PageSource& source, const std::string& url, ListingPage page,
                              Collection& so_far) {
    ++so_far.pages;
    so_far.items += page.items;
    for (const auto& [reason, count] : page.skipped) {
        so_far.skipped[reason] += count;
    }
    std::move(page.observations.begin(), page.observations.end(),
              std::back_inserter(so_far.observations));
    if (so_far.observations.size() > kMostObservations) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         fmt::format("the source has more than {} listings", kMostObservations));
    }
    if (page.next.empty() || so_far.pages >= source.config.max_pages) {
        return std::string();
    }
    auto next = source.origin.next_page(url, page.next);
    // A page that names itself as its next would be read until max_pages.
    return next.ok() && *next == url ? Result<std::string>(std::string()) : next;
}

Outcome refusal(const connect::Verdict& verdict) {
    const Error error = connect::refused(verdict);
    if (const auto wait = connect::refused_for(error)) {
        return Snooze{*wait};
    }
    return Fail{JobError(error)};
}

}  // namespace

std::optional<Outcome> read_pages(const PageSource& source, connect::Transport& transport,
                                  connect::Governor& governor, const std::stop_token& stop,
                                  Collection& so_far) {
    while (!so_far.next.empty()) {
        const auto verdict = governor.enter();
        if (!verdict.ok()) {
            return outcome_or_snooze(verdict.error());
        }
        if (verdict->kind != connect::Verdict::Kind::go) {
            return refusal(*verdict);
        }
        const std::string url = so_far.next;
        const auto response = transport.send(request_of(source, url), stop);
        const connect::Classified meaning = connect::classify(response, source.now);
        Understood understood = understand(source, response, meaning);
        // A request that we broke off says nothing about the source.
        if (response.ok() || !stop.stop_requested()) {
            report(governor, verdict->permit, meaning,
                   !meaning.ok() || understood.page.has_value());
        }
        if (!understood.page) {
            return std::move(understood.outcome);
        }
        auto next = take_page(source, url, *std::move(understood.page), so_far);
        if (!next.ok()) {
            return Fail{JobError(next.error())};
        }
        so_far.next = *std::move(next);
    }
    return std::nullopt;
}

}  // namespace jobforge::services
