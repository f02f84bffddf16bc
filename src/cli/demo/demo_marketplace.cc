#include "cli/demo/demo_marketplace.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "values/unicode.h"

namespace jobforge::cli {

namespace {

constexpr std::chrono::minutes kWindow{1};

std::string percent_decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned value = 0;
        const char* const digits = text.data() + i + 1;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
            out += static_cast<char>(value);
            i += 2;
        } else {
            out += text[i] == '+' ? ' ' : text[i];
        }
    }
    return out;
}

// A parameter of the query as it was sent; "" if it is not there.
std::string_view parameter(std::string_view target, std::string_view name) {
    std::string_view query = target.substr(std::min(target.find('?'), target.size()));
    while (!query.empty()) {
        query.remove_prefix(1);  // ? or &
        const std::string_view pair = query.substr(0, query.find('&'));
        if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) {
            return pair.substr(name.size() + 1);
        }
        query.remove_prefix(pair.size());
    }
    return {};
}

// Whether a listing has one of the words that are longer than three letters; every one if there is
// none of those.
bool fits(const Json& listing, const std::string& words) {
    const Json* const title = listing.find("title");
    const std::string text = unicode::lower_case(title == nullptr ? "" : *title->as_string());
    std::string_view rest = words;
    bool asked = false;
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        if (word.size() > 3) {
            asked = true;
            if (text.find(word) != std::string::npos) {
                return true;
            }
        }
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return !asked;
}

Json listing(int id, const std::string& title, const std::string& amount, const char* kind,
             int day) {
    Json out = Json::object({{"id", id}, {"title", title}, {"kind", kind}});
    if (!amount.empty()) {
        out.set("price", Json::object({{"amount", amount}, {"currency", "USD"}}));
    }
    if (day > 0) {
        out.set("sold_at", fmt::format("2026-02-{:02}T15:00:00Z", day));
    }
    out.set("link", fmt::format("https://marketplace.example/coins/{}?ref=api", id));
    return out;
}

}  // namespace

std::vector<Json> demo_listings() {
    std::vector<Json> out;
    for (int i = 0; i < 26; ++i) {
        out.push_back(listing(1000 + i, "1909-S VDB Lincoln Cent, fine",
                              fmt::format("{}.{:02}", 700 + 5 * (i % 13), (37 * i) % 100), "SOLD",
                              1 + i));
    }
    for (int i = 0; i < 13; ++i) {
        out.push_back(listing(2000 + i, "1909 S Lincoln Wheat Penny V.D.B.",
                              fmt::format("{},{:03}.00", 1, 20 * i), "BUY_NOW", 0));
    }
    out.push_back(listing(3000, "1909-S VDB Lincoln cent REPLICA", "4.99", "BUY_NOW", 0));
    out.push_back(listing(3001, "1921 Morgan Silver Dollar", "38.50", "SOLD", 3));
    out.push_back(listing(3002, "1909-S VDB Lincoln Cent, finest known", "117500.00", "SOLD", 4));
    out.push_back(listing(3003, "1909-S VDB Lincoln Cent, price on request", "", "BUY_NOW", 0));
    return out;
}

Json DemoMarketplace::source_config() {
    return Json::parse(R"({"path": "/search?q={query}", "items": "/results", "next": "/next",
        "max_pages": 5, "price_types": {"SOLD": "sold", "BUY_NOW": "ask"}, "fields": {
        "external_id": "/id", "title": "/title", "url": "/link", "price": "/price/amount",
        "currency": "/price/currency", "price_type": "/kind", "observed_at": "/sold_at"}})")
        .value();
}

Result<std::unique_ptr<DemoMarketplace>> DemoMarketplace::start(MarketplaceOptions options) {
    if (options.listings.empty()) {
        options.listings = demo_listings();
    }
    const int port = options.port;
    std::unique_ptr<DemoMarketplace> marketplace(new DemoMarketplace(std::move(options)));
    auto server =
        DemoServer::start([market = marketplace.get()](
                              const std::string& request) { return market->answer(request); },
                          port);
    if (!server.ok()) {
        return std::move(server).error();
    }
    marketplace->server_ = *std::move(server);
    return marketplace;
}

DemoMarketplace::DemoMarketplace(MarketplaceOptions options) : options_(std::move(options)) {}

void DemoMarketplace::fail(int count, const std::string& status, const std::string& headers) {
    const std::lock_guard lock(mutex_);
    failures_left_ = count;
    failure_ = demo_answer(status, headers);
}

std::vector<DemoMarketplace::Clock::time_point> DemoMarketplace::arrivals() const {
    const std::lock_guard lock(mutex_);
    return arrivals_;
}

int DemoMarketplace::refused() const {
    const std::lock_guard lock(mutex_);
    return refused_;
}

std::string DemoMarketplace::answer(const std::string& request) {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    arrivals_.push_back(now);
    const auto recent = static_cast<std::size_t>(
        std::count_if(arrivals_.begin(), arrivals_.end(),
                      [now](Clock::time_point at) { return now - at < kWindow; }));
    if (options_.limit_per_minute > 0 && recent > options_.limit_per_minute) {
        ++refused_;
        return demo_answer("429 Too Many Requests", "Retry-After: 5\r\n");
    }
    if (failures_left_ != 0) {
        failures_left_ -= failures_left_ > 0 ? 1 : 0;
        return failure_;
    }
    const std::string_view line = std::string_view(request).substr(0, request.find("\r\n"));
    const std::size_t path = line.find(' ');
    if (!line.starts_with("GET /api/search?")) {
        return demo_answer("404 Not Found");
    }
    return search(line.substr(path + 1, line.rfind(' ') - path - 1));
}

std::string DemoMarketplace::search(std::string_view target) const {
    const std::string_view query = parameter(target, "q");
    const std::string words = unicode::lower_case(percent_decoded(query));
    const std::string_view number = parameter(target, "page");
    std::size_t page = 1;
    std::from_chars(number.data(), number.data() + number.size(), page);
    std::vector<Json> found;
    std::copy_if(options_.listings.begin(), options_.listings.end(), std::back_inserter(found),
                 [&words](const Json& one) { return fits(one, words); });
    const std::size_t first =
        std::min((std::max<std::size_t>(page, 1) - 1) * options_.page_size, found.size());
    const std::size_t last = std::min(first + options_.page_size, found.size());
    const Json next = last < found.size()
                          ? Json(fmt::format("/api/search?q={}&page={}", query, page + 1))
                          : Json();
    const Json body =
        Json::object({{"total", static_cast<std::uint64_t>(found.size())},
                      {"results", Json::Array(found.begin() + static_cast<std::ptrdiff_t>(first),
                                              found.begin() + static_cast<std::ptrdiff_t>(last))},
                      {"next", next}});
    return demo_answer("200 OK", "Content-Type: application/json\r\n", body.dump());
}

}  // namespace jobforge::cli
