#include "api/pages/passport_verdict.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "api/pages/html_text.h"
#include "api/pages/passport_values.h"
#include "base/crypto/hash.h"
#include "base/text/base32.h"
#include "base/text/counted.h"

namespace jobforge::api {

namespace {

// "good", "warn" and "bad" are classes of the style.
struct Words {
    std::string_view kind;
    std::string_view title;
    std::string text;
};

std::string filled_in(const PublicContents& contents) {
    return fmt::format("{} of {} {} filled in", contents.stated,
                       counted(contents.fields, "public entry", "public entries"),
                       contents.stated == 1 ? "is" : "are");
}

int open_failures(const PublicPassport& passport) {
    return static_cast<int>(std::count_if(
        passport.findings.begin(), passport.findings.end(), [](const PublicFinding& finding) {
            return finding.status != "WARN" && !finding.reason.has_value();
        }));
}

// "3 of its own checks failed, and 1 has an unclear result".
std::string failed_words(const FindingCounts& counts) {
    const std::string own = "of its own checks ";
    const std::string unclear =
        counts.unknown == 1 ? "has an unclear result" : "have unclear results";
    if (counts.unknown == 0) {
        return fmt::format("{} {}failed", counts.fail, own);
    }
    return counts.fail == 0
               ? fmt::format("{} {}{}", counts.unknown, own, unclear)
               : fmt::format("{} {}failed, and {} {}", counts.fail, own, counts.unknown, unclear);
}

// Of the version that is in force.
Words words_of_active(const PublicPassport& passport) {
    const FindingCounts& counts = passport.counts;
    const PublicContents contents = contents_of(passport);
    const std::string current = "This is the current passport of this product";
    if (counts.fail + counts.unknown > 0 && open_failures(passport) > 0) {
        return {"bad", counts.fail > 0 ? "Fails its own checks" : "Not fully checked",
                fmt::format("{}, but {}. Ask the seller or the issuer about them.", current,
                            failed_words(counts))};
    }
    if (counts.fail + counts.unknown > 0) {
        return {"warn", "In force with failed checks",
                fmt::format("{}, but {}. The issuer knows, and says below why it is in force "
                            "nevertheless.",
                            current, failed_words(counts))};
    }
    if (contents.next_to_nothing()) {
        return {"warn", "Almost empty",
                fmt::format("{}, but it says next to nothing: {}.", current, filled_in(contents))};
    }
    if (counts.made() == 0) {
        return {
            "warn", "Not checked",
            fmt::format("{}, and its signature is valid, but {}. That its figures are right was "
                        "not checked.",
                        current,
                        counts.all() == 0 ? "its issuer's rules check nothing"
                                          : "none of its issuer's checks was made yet")};
    }
    return {"good", "Valid",
            current + ". Its signature is valid, and none of its own checks failed."};
}

Words words_of(const PublicPassport& passport) {
    if (!passport.signature_fits) {
        return {"bad", "Signature not valid",
                "What stands here is not what the issuer signed: do not rely on it."};
    }
    if (passport.status == "ACTIVE") {
        return words_of_active(passport);
    }
    if (passport.status == "SUPERSEDED") {
        return {"warn", "Replaced",
                "A newer version of this passport was put into force. This one tells what was said "
                "before."};
    }
    if (passport.status == "REVOKED") {
        return {"bad", "Revoked", "Its issuer has withdrawn this passport: do not rely on it."};
    }
    return {"warn", "Not in force yet", "This passport is signed, but was not put into force."};
}

std::string judgement(std::string_view kind, std::string_view title, std::string_view text) {
    return fmt::format("<li class=\"{}\"><b>{}</b> <span>{}</span></li>\n", kind, title, text);
}

std::string signature_judgement(const PublicPassport& passport) {
    return passport.signature_fits
               ? judgement(
                     "good", "Signature valid.",
                     fmt::format("Nothing was changed since the issuer signed it (issued {}). "
                                 "That does not say that it is correct or complete.",
                                 html_escaped(passport.issued_on)))
               : judgement("bad", "Signature not valid.", "It does not fit what stands here.");
}

std::string checks_judgement(const FindingCounts& counts) {
    if (counts.all() == 0) {
        return judgement("warn", "No checks.", "The issuer's rules check nothing.");
    }
    std::string text;
    const auto add = [&text](int count, std::string_view words) {
        if (count > 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words);
        }
    };
    add(counts.pass, "passed");
    add(counts.fail, "failed");
    add(counts.unknown, "unclear");
    add(counts.warn, counts.warn == 1 ? "with a warning" : "with warnings");
    add(counts.pending, "not due yet");
    add(counts.not_applicable, "not applicable");
    const bool bad = counts.fail + counts.unknown > 0;
    return judgement(bad                                     ? "bad"
                     : counts.warn > 0 || counts.made() == 0 ? "warn"
                                                             : "good",
                     counts.fail > 0      ? "Checks failed."
                     : counts.unknown > 0 ? "Checks unclear."
                     : counts.made() == 0 ? "No check made."
                                          : "No check failed.",
                     text + ". The issuer's own rules made these checks.");
}

std::string contents_judgement(const PublicContents& contents) {
    return contents.next_to_nothing()
               ? judgement("warn", "Almost empty.", filled_in(contents) + ".")
               : judgement(
                     "good", "Filled in:",
                     fmt::format("{} of {} public entries.", contents.stated, contents.fields));
}

// What a code means that was printed with `printed`, on the page of the passport's version `shown`.
Words words_of_code(const PublicVersion& printed, const PublicPassport& shown) {
    const std::string version = fmt::format("version {} (issued {})", printed.version_number,
                                            html_escaped(printed.issued_on));
    if (printed.version_number == shown.version_number) {
        return {"good", "The code fits.",
                fmt::format("It was printed for this page's {}.", version)};
    }
    if (printed.status == "REVOKED") {
        return {
            "bad", "The code fits an older document.",
            fmt::format("It was printed for {}, which the issuer has withdrawn since.", version)};
    }
    return {"good",
            printed.version_number < shown.version_number ? "The code fits an earlier version."
                                                          : "The code fits a later version.",
            fmt::format("It was printed for {}. This page shows version {}.{}", version,
                        shown.version_number,
                        printed.version_number < shown.version_number
                            ? " A code stays on its battery while the passport is updated."
                            : "")};
}

std::string finding_item(const PublicFinding& finding) {
    const bool warns = finding.status == "WARN";
    std::string out = fmt::format(
        "<li><b class=\"{}\">{}</b> {}<br>{}", warns ? "warn" : "bad",
        warns                      ? "Warning"
        : finding.status == "FAIL" ? "Failed"
                                   : "Unclear",
        finding.id ? shown_text(*finding.id) : "a check without a public name",
        finding.evidence ? shown_text(*finding.evidence)
                         : "<span class=\"note\">The details of this check are not public.</span>");
    if (finding.reason) {
        out += fmt::format(
            "<p class=\"reason\">The issuer accepted this on {} and gives the reason: "
            "<q>{}</q></p>",
            html_escaped(finding.accepted_on.value_or("")), shown_text(*finding.reason));
    } else if (!warns) {
        out += "<p class=\"reason\">The issuer has not said why.</p>";
    }
    return out + "</li>\n";
}

}  // namespace

PublicContents contents_of(const PublicPassport& passport) {
    return {static_cast<int>(passport.fields.size()),
            static_cast<int>(
                std::count_if(passport.fields.begin(), passport.fields.end(),
                              [](const PublicField& field) { return is_stated(field.value); }))};
}

std::string base32_of_hex(const std::string& hex) {
    const auto bytes = hex_decode(hex);
    return bytes.ok() ? base32_encode(*bytes) : std::string();
}

std::string code_hashes(const PassportHashes& hashes) {
    return fmt::format("ph={}&pr={}&rh={}", base32_of_hex(hashes.payload_hash),
                       base32_of_hex(hashes.proof_root_hash), base32_of_hex(hashes.receipt_hash));
}

std::string verdict_box(const PublicPassport& passport) {
    const Words words = words_of(passport);
    std::string out =
        fmt::format("<p class=\"state {}\"><b>{}</b>{}", words.kind, words.title, words.text);
    if (passport.status == "REVOKED" && passport.revoked_on && passport.revocation_reason) {
        out += fmt::format("<br>On {}, because: {}", html_escaped(*passport.revoked_on),
                           shown_text(*passport.revocation_reason));
    } else if (passport.status == "SUPERSEDED" && passport.superseded_on) {
        out += fmt::format("<br>Since {}.", html_escaped(*passport.superseded_on));
    }
    if (passport.another_is_current) {
        // The code that was read goes along, so that the other page can say what it belongs to.
        out += fmt::format("<br><a href=\"{}#{}\">Show the current version</a>",
                           html_escaped(passport.passport_id),
                           html_escaped(code_hashes(passport.hashes)));
    }
    return out + "</p>\n";
}

std::string judgements(const PublicPassport& passport) {
    return "<ul class=\"judged\">\n" + signature_judgement(passport) +
           checks_judgement(passport.counts) + contents_judgement(contents_of(passport)) +
           "</ul>\n";
}

std::string printed_codes(const PublicPassport& passport) {
    std::string out;
    for (const PublicVersion& version : passport.versions) {
        const Words words = words_of_code(version, passport);
        out += fmt::format("<p class=\"printed {}\" id=\"{}\"><b>{}</b> {}</p>\n", words.kind,
                           html_escaped(code_hashes(version.hashes)), words.title, words.text);
    }
    return out;
}

std::string no_printed_code() {
    return "<p class=\"unprinted note\">Did you scan a code to come here? Then that code does not "
           "belong to this passport: do not rely on it. If you opened this page in another way, "
           "ignore this line.</p>\n";
}

std::string finding_list(const PublicPassport& passport) {
    if (passport.findings.empty()) {
        return {};
    }
    std::string out = "<h2>Failed checks and warnings</h2>\n<ul class=\"findings\">\n";
    for (const PublicFinding& finding : passport.findings) {
        out += finding_item(finding);
    }
    return out + "</ul>\n";
}

}  // namespace jobforge::api
