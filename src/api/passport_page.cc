#include "api/passport_page.h"

#include <cctype>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "api/html_text.h"
#include "core/base64.h"
#include "core/hash.h"

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
.state { padding: .75rem 1rem; border-radius: .5rem; margin: 0 }
.state b { display: block }
.good { color: var(--good); background: var(--good-bg) }
.warn { color: var(--warn); background: var(--warn-bg) }
.bad { color: var(--bad); background: var(--bad-bg) }
dl { margin: 0 } dt { margin-top: .75rem } dd { margin: 0 }
dd dl { margin: 0 0 0 .75rem; padding-left: .75rem; border-left: 2px solid var(--line) }
ul { margin: 0; padding: 0; list-style: none } li + li { margin-top: .5rem }
code { font: .85rem/1.5 ui-monospace, monospace }
)";

struct StatusWords {
    std::string_view kind;  // of the box
    std::string_view title;
    std::string_view text;
};

StatusWords words_of(std::string_view status) {
    if (status == "ACTIVE") {
        return {"good", "Valid", "This is the current passport of this product."};
    }
    if (status == "SUPERSEDED") {
        return {"warn", "Replaced",
                "A newer version of this passport is in force. What stands here was true once."};
    }
    if (status == "REVOKED") {
        return {"bad", "Revoked", "Its issuer has withdrawn this passport: do not rely on it."};
    }
    return {"warn", "Not in force yet", "This passport is signed, but was not put into force."};
}

// "ratedCapacity_kwh" -> "Rated capacity kwh": names of rules are for people too.
std::string readable_name(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
        const bool after_lower =
            !out.empty() && std::islower(static_cast<unsigned char>(out.back())) != 0;
        if (c == '_') {
            out += ' ';
        } else if (upper && after_lower) {
            out += ' ';
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else {
            out += out.empty() ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        }
    }
    return html_escaped(out);
}

// Isolated: a text that runs from right to left must not turn what stands around it.
std::string shown_text(std::string_view text) {
    return "<bdi>" + html_escaped(text) + "</bdi>";
}

std::string shown_value(const Json& value);

std::string shown_list(const Json::Array& list) {
    if (list.empty()) {
        return "<i>none</i>";
    }
    std::string out = "<ul>";
    for (const Json& item : list) {
        out += "<li>" + shown_value(item) + "</li>";
    }
    return out + "</ul>";
}

std::string shown_object(const Json::Object& object) {
    std::string out = "<dl>";
    for (const Json::Member& member : object) {
        out += fmt::format("<dt>{}</dt><dd>{}</dd>", readable_name(member.first),
                           shown_value(member.second));
    }
    return out + "</dl>";
}

// "312.000000" -> "312": the zeros are the payload's scale and tell people nothing.
std::string without_zeros(std::string number) {
    const std::size_t point = number.find('.');
    if (point == std::string::npos || point == 0 ||
        number.find_first_not_of("0123456789", point + 1) != std::string::npos) {
        return number;
    }
    const std::size_t last = number.find_last_not_of('0');
    number.erase(last == point ? point : last + 1);
    return number;
}

// The two texts of an object that has exactly these members.
struct TextPair {
    const std::string& first;
    const std::string& second;
};
std::optional<TextPair> text_pair(const Json& value, std::string_view first,
                                  std::string_view second) {
    const Json* a = value.find(first);
    const Json* b = value.find(second);
    if (value.as_object()->size() != 2 || a == nullptr || b == nullptr ||
        a->as_string() == nullptr || b->as_string() == nullptr) {
        return std::nullopt;
    }
    return TextPair{*a->as_string(), *b->as_string()};
}

std::string shown_object_or_pair(const Json& value) {
    if (const auto quantity = text_pair(value, "value", "unit")) {
        return shown_text(without_zeros(quantity->first) + " " + quantity->second);
    }
    if (const auto text = text_pair(value, "value", "language")) {
        return fmt::format("<bdi lang=\"{0}\">{1}</bdi> <span class=\"note\">{0}</span>",
                           html_escaped(text->second), html_escaped(text->first));
    }
    return shown_object(*value.as_object());
}

std::string shown_value(const Json& value) {
    if (value.is_null()) {
        return "<i>not stated</i>";
    }
    if (const std::string* text = value.as_string()) {
        return shown_text(*text);
    }
    if (const Json::Array* list = value.as_array()) {
        return shown_list(*list);
    }
    if (value.as_object() != nullptr) {
        return shown_object_or_pair(value);
    }
    const std::string text = value.dump();
    return text == "true" ? "yes" : text == "false" ? "no" : html_escaped(text);
}

std::string head(std::string_view title) {
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>{}</title>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"robots\" content=\"noindex\">\n<style>{}</style></head><body>\n"
        "<p class=\"kind\">Digital product passport</p>\n",
        title, kStyle);
}

std::string status_box(const PublicPassport& passport) {
    const StatusWords words = words_of(passport.status);
    std::string out =
        fmt::format("<p class=\"state {}\"><b>{}</b>{}", words.kind, words.title, words.text);
    if (passport.status == "REVOKED" && passport.revoked_on && passport.revocation_reason) {
        out += fmt::format("<br>On {}, because: {}", html_escaped(*passport.revoked_on),
                           shown_text(*passport.revocation_reason));
    } else if (passport.status == "SUPERSEDED" && passport.superseded_on) {
        out += fmt::format("<br>Since {}.", html_escaped(*passport.superseded_on));
    }
    return out + "</p>\n";
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

std::string proof_list(const PublicPassport& passport) {
    const auto row = [](std::string_view name, std::string_view value) {
        return fmt::format("<dt>{}</dt><dd><code>{}</code></dd>\n", name, html_escaped(value));
    };
    std::string out =
        "<h2>Check it yourself</h2>\n"
        "<p>Ask the issuer for this passport's bundle and for his public key, and run on your own "
        "computer:</p>\n<p><code>jobforge passport verify bundle.json --key KEY</code></p>\n"
        "<p class=\"note\">It computes everything again and checks the signature. The hashes it "
        "prints must be these, and those of the QR code on the product.</p>\n<dl>\n";
    out += row("Passport version", passport.passport_version_id);
    out += row("Issued", passport.issued_on);
    out += row("Payload hash", passport.payload_hash);
    out += row("Proof root", passport.proof_root_hash);
    out += row("Receipt hash", passport.receipt_hash);
    out += row("Signing key", passport.signing_key_id);
    if (passport.qr_text) {
        out += row("QR code", *passport.qr_text);
    }
    return out + "</dl>\n";
}

}  // namespace

std::string passport_page(const PublicPassport& passport) {
    return head(html_escaped(passport.product_name)) +
           fmt::format("<h1>{}</h1>\n", shown_text(passport.product_name)) + status_box(passport) +
           field_list(passport.fields) + proof_list(passport) + "</body></html>\n";
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
