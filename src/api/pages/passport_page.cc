#include "api/pages/passport_page.h"

#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "api/pages/html_text.h"
#include "api/pages/passport_values.h"
#include "api/pages/passport_verdict.h"

namespace jobforge::api {

namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fff; --soft: #5a6675; --line: #dde3ea;
  --good: #14632f; --good-bg: #e4f5ea; --warn: #7a4b00; --warn-bg: #fff2d9;
  --bad: #8c1420; --bad-bg: #fde8ea }
@media (prefers-color-scheme: dark) { :root { --ink: #dfe5ec; --paper: #12161c; --soft: #9aa7b5;
  --line: #2b333d; --good: #8fe0ab; --good-bg: #10301c; --warn: #f2c46d; --warn-bg: #33270d;
  --bad: #ff9aa4; --bad-bg: #3a1218 } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 40rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .25rem 0 1rem }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; padding-bottom: .25rem;
  border-bottom: 1px solid var(--line) }
.kind, .note, dt { color: var(--soft); font-size: .9rem }
.kind { margin: 0 }
.state, .printed { padding: .75rem 1rem; border-radius: .5rem; margin: 0 0 .75rem }
.state b { display: block; font-size: 1.15rem }
a { color: inherit; font-weight: 600 }
.judged li, .findings li { padding: .5rem 0 .5rem 1rem; border-left: .25rem solid currentColor }
.judged li, .findings b { background: none }
.judged span { color: var(--ink) }
.findings li { border-color: var(--line) }
.reason { margin: .25rem 0 0 }
.good { color: var(--good); background: var(--good-bg) }
.warn { color: var(--warn); background: var(--warn-bg) }
.bad { color: var(--bad); background: var(--bad-bg) }
dl { margin: 0 } dt { margin-top: .75rem } dd { margin: 0 }
dd dl { margin: 0 0 0 .75rem; padding-left: .75rem; border-left: 2px solid var(--line) }
ul { margin: 0; padding: 0; list-style: none } li + li { margin-top: .5rem }
code { font: .85rem/1.5 ui-monospace, monospace }
summary { cursor: pointer }
.printed { display: none; scroll-margin-top: 100rem }
.printed:target { display: block }
.printed:target ~ .unprinted { display: none }
)";

std::string head(std::string_view title) {
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>{}</title>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"robots\" content=\"noindex\">\n<style>{}</style></head><body>\n"
        "<p class=\"kind\">Digital product passport</p>\n",
        title, kStyle);
}

struct Group {
    std::string_view name;  // the first part of its fields' paths
    std::string rows;
};

// In the order of their first fields: rules may name fields of several groups in turn.
std::vector<Group> grouped(const std::vector<PublicField>& fields) {
    std::vector<Group> groups;
    std::unordered_map<std::string_view, std::size_t> places;
    for (const PublicField& field : fields) {
        const std::string_view path = field.path;
        const std::size_t dot = path.find('.');
        const std::string_view first = path.substr(0, dot);
        const auto [place, is_new] = places.try_emplace(first, groups.size());
        if (is_new) {
            groups.push_back({first, {}});
        }
        const std::string_view rest = dot == std::string_view::npos ? first : path.substr(dot + 1);
        groups[place->second].rows +=
            fmt::format("<dt>{}</dt><dd>{}</dd>\n", readable_name(rest), shown_value(field.value));
    }
    return groups;
}

// Fields under a heading for each group.
std::string field_list(const std::vector<PublicField>& fields) {
    std::string out;
    for (const Group& group : grouped(fields)) {
        out += fmt::format("<h2>{}</h2>\n<dl>\n{}</dl>\n", readable_name(group.name), group.rows);
    }
    return out.empty() ? "<p class=\"note\">Nothing in this passport is public.</p>\n" : out;
}

std::string proof_row(std::string_view name, std::string_view value) {
    return fmt::format("<dt>{}</dt><dd><code>{}</code></dd>\n", name, html_escaped(value));
}

// As `jobforge passport verify` prints them: in hex, and in base32 as the code has it.
std::string hash_row(std::string_view name, std::string_view letters, const std::string& hex) {
    return proof_row(name, hex) +
           proof_row(fmt::format("{} in the code ({}=)", name, letters), base32_of_hex(hex));
}

std::string proof_list(const PublicPassport& passport) {
    std::string out =
        "<h2>Check it yourself</h2>\n"
        "<p>Ask the issuer for this passport's bundle, and for its public key by a way that you "
        "trust, and run on your own computer:</p>\n"
        "<p><code>jobforge passport verify bundle.json --key KEY</code></p>\n"
        "<p>It computes everything again, checks the signature and prints three hashes. They must "
        "be these:</p>\n<dl>\n";
    out += hash_row("Payload hash", "ph", passport.hashes.payload_hash);
    out += hash_row("Proof root hash", "pr", passport.hashes.proof_root_hash);
    out += hash_row("Receipt hash", "rh", passport.hashes.receipt_hash);
    out += proof_row("Passport", passport.passport_id);
    out += proof_row("Passport version",
                     fmt::format("{} ({})", passport.version_number, passport.passport_version_id));
    out += proof_row("Issued", passport.issued_on);
    out += proof_row("Signing key", passport.signing_key_id);
    if (passport.qr_text) {
        out += proof_row("Printed code of this version", *passport.qr_text);
    }
    return out + "</dl>\n";
}

}  // namespace

std::string passport_page(const PublicPassport& passport) {
    return head(html_escaped(passport.product_name)) +
           fmt::format("<h1>{}</h1>\n", shown_text(passport.product_name)) + verdict_box(passport) +
           printed_codes(passport) + judgements(passport) + no_printed_code() +
           finding_list(passport) + field_list(passport.fields) + proof_list(passport) +
           "</body></html>\n";
}

std::string no_passport_page() {
    return head("No such passport") +
           "<h1>There is no such passport</h1>\n"
           "<p>Read the QR code again, or ask the seller of the product.</p>\n</body></html>\n";
}

const std::string& passport_page_policy() {
    static const std::string kPolicy = page_policy(kStyle);
    return kPolicy;
}

}  // namespace jobforge::api
