#include "passport/documents/document_facts.h"

#include <optional>

#include <fmt/format.h>

#include "passport/documents/document_facts_batterypass.h"
#include "passport/documents/document_facts_csv.h"
#include "passport/documents/document_facts_kind.h"
#include "values/document_numbers.h"
#include "values/utf16.h"

namespace jobforge::passport {
namespace {

// Values of a JSON text, counted by what begins a container or follows a comma outside strings: an
// empty container counts twice. Of a text that is not JSON it says anything; the parser refuses it.
std::size_t count_values(std::string_view text) noexcept {
    std::size_t count = 1;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            i += c == '\\' ? 1U : 0U;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == ',' || c == '[' || c == '{') {
            ++count;
        }
    }
    return count;
}

// The parser's and the numbers' refusals, as the document's.
Error as_rejection(Error error) {
    error.code = ErrorCode::DOCUMENT_REJECTED;
    return error;
}

Result<Json> parse_document(std::string_view bytes) {
    if (count_values(bytes) > kMaximumDocumentValues) {
        return rejected_at("", fmt::format("The document has more than {} values; split it into "
                                           "several documents.",
                                           kMaximumDocumentValues));
    }
    auto parsed = Json::parse(bytes);
    if (!parsed.ok()) {
        return as_rejection(std::move(parsed).error());
    }
    return parsed;
}

std::string_view word_for(const Json& json) noexcept {
    switch (json.kind()) {
        case Json::Kind::null:
            return "null";
        case Json::Kind::boolean:
            return "true or false";
        case Json::Kind::number:
            return "a number";
        case Json::Kind::string:
            return "a text";
        case Json::Kind::array:
            return "a list";
        case Json::Kind::object:
            return "an object";
    }
    return "nothing";
}

// What the document looks like instead, as a hint; empty if like nothing we know.
std::string other_kind_hint(const Json& document, const DocumentKind& wanted) {
    for (const DocumentKind& kind : document_kinds()) {
        const Json* list = kind.list.empty() ? nullptr : document.find(kind.list);
        if (kind.name != wanted.name && list != nullptr && list->is_array()) {
            return fmt::format(" It has \"{}\", as a {} has: was the right kind chosen?", kind.list,
                               kind.name);
        }
    }
    return {};
}

Result<std::string> key_of(const DocumentKind& kind, const Json& element,
                           const std::string& pointer) {
    for (const std::string_view member : kind.key_members) {
        const Json* value = element.find(member);
        if (value == nullptr || value->is_null()) {
            continue;
        }
        const std::string at = fmt::format("{}/{}", pointer, member);
        const std::string* text = value->as_string();
        // A number is refused although its digits are known: 0012 and 12.50 seldom survive the
        // program that wrote it as one.
        if (text == nullptr) {
            return rejected_at(at, fmt::format("\"{}\" is {}; it must be a text in quotes.", member,
                                               word_for(*value)));
        }
        if (auto fault = key_fault(*text); !fault.empty()) {
            return rejected_at(at, fmt::format("\"{}\" {}", member, fault));
        }
        return fmt::format("{}:{}", kind.key_prefix, *text);
    }
    return rejected_at(pointer, missing_key_sentence(kind));
}

// The place of a container that is on a level beyond kMaximumFactDepth; nullopt if there is none.
// Recursion is as deep as the parser allows.
std::optional<std::string> too_deep(const Json& json, int level) {
    if (!json.is_array() && !json.is_object()) {
        return std::nullopt;
    }
    if (level > kMaximumFactDepth) {
        return "";
    }
    if (const Json::Array* items = json.as_array()) {
        for (std::size_t i = 0; i < items->size(); ++i) {
            if (auto below = too_deep((*items)[i], level + 1)) {
                return fmt::format("/{}{}", i, *below);
            }
        }
        return std::nullopt;
    }
    for (const auto& [name, member] : *json.as_object()) {
        if (auto below = too_deep(member, level + 1)) {
            return json_pointer_token(name) + *below;
        }
    }
    return std::nullopt;
}

// Notes the fact with its key and place; its payload comes once all numbers are exact.
Status note_fact(const DocumentKind& kind, const Json& element, std::string pointer,
                 FactList& facts) {
    if (const auto deep = too_deep(element, 1)) {
        return rejected_at(
            pointer + *deep,
            fmt::format("The fact is nested deeper than {} levels here.", kMaximumFactDepth));
    }
    if (!element.is_object()) {
        return rejected_at(pointer, fmt::format("Here is {}; each of \"{}\" is an object with a "
                                                "\"{}\".",
                                                word_for(element), kind.list, kind.key_members[0]));
    }
    auto key = key_of(kind, element, pointer);
    if (!key.ok()) {
        return std::move(key).error();
    }
    if (const std::string* first = facts.place_of(*key)) {
        return rejected_at(pointer, fmt::format("{} is described twice in this document, first at "
                                                "{}.",
                                                *key, *first));
    }
    facts.add({std::string(kind.fact_type), std::move(*key), Json(), std::move(pointer)});
    return ok_status();
}

Result<FactList> facts_in_list(const DocumentKind& kind, const Json& document) {
    const Json* list = document.find(kind.list);
    if (list == nullptr) {
        return rejected_at("", fmt::format("A {} has a list \"{}\", and this document has none.{}",
                                           kind.name, kind.list, other_kind_hint(document, kind)));
    }
    const std::string pointer = fmt::format("/{}", kind.list);
    const Json::Array* elements = list->as_array();
    if (elements == nullptr) {
        return rejected_at(
            pointer, fmt::format("\"{}\" is {}; it must be a list.", kind.list, word_for(*list)));
    }
    if (elements->size() > kMaximumDocumentFacts) {
        return rejected_at(pointer, too_many_facts_sentence());
    }
    FactList facts;
    for (std::size_t i = 0; i < elements->size(); ++i) {
        auto noted = note_fact(kind, (*elements)[i], fmt::format("{}/{}", pointer, i), facts);
        if (!noted.ok()) {
            return std::move(noted).error();
        }
    }
    return facts;
}

Result<FactList> fact_of_whole(const DocumentKind& kind, const Json& document) {
    if (auto hint = other_kind_hint(document, kind); !hint.empty()) {
        return rejected_at("", fmt::format("This is not a {} document.{}", kind.name, hint));
    }
    FactList facts;
    if (auto noted = note_fact(kind, document, "", facts); !noted.ok()) {
        return std::move(noted).error();
    }
    return facts;
}

// Passport data comes from programs that write UTF-16 or a byte order mark, and in the shape of the
// BatteryPass data model too.
Result<Json> parse_passport_data(std::string_view bytes) {
    const auto text = without_byte_order_mark(bytes);
    if (!text) {
        return rejected_at("",
                           "The document begins like UTF-16, but it is not: a byte is left over, "
                           "or half of a character is missing.");
    }
    auto document = parse_document(*text);
    return document.ok() && is_battery_pass(*document) ? battery_data_of(*document) : document;
}

Result<std::vector<DocumentFact>> facts_of_json(const DocumentKind& kind, std::string_view bytes) {
    auto document = kind.list.empty() ? parse_passport_data(bytes) : parse_document(bytes);
    if (!document.ok()) {
        return document.error();
    }
    if (!document->is_object()) {
        return rejected_at("", fmt::format("The document is {}; a {} is an object.",
                                           word_for(*document), kind.name));
    }
    auto facts =
        kind.list.empty() ? fact_of_whole(kind, *document) : facts_in_list(kind, *document);
    if (!facts.ok()) {
        return facts.error();
    }
    // Keys were read before, while a number was still no text.
    auto exact = with_exact_numbers(*document);
    if (!exact.ok()) {
        return as_rejection(std::move(exact).error());
    }
    auto all = std::move(*facts).take();
    if (kind.list.empty()) {
        all[0].numbers = numbers_made_text(*document, *exact);
        all[0].payload = std::move(*exact);
        return all;
    }
    const Json::Array& written = *document->find(kind.list)->as_array();
    const Json::Array& elements = *exact->find(kind.list)->as_array();
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].numbers = numbers_made_text(written[i], elements[i]);
        all[i].payload = elements[i];
    }
    return all;
}

}  // namespace

Result<std::vector<DocumentFact>> facts_of_document(std::string_view kind,
                                                    std::string_view media_type,
                                                    std::string_view bytes) {
    const DocumentKind* known = document_kind(kind);
    if (known == nullptr) {
        return Error::of(ErrorCode::UNSUPPORTED_DOCUMENT_KIND,
                         fmt::format("Documents of kind {} are kept but not read. Facts come from "
                                     "BOM, PCF, DUE_DILIGENCE and BATTERY_DATA.",
                                     kind));
    }
    if (bytes.size() > kMaximumDocumentBytes) {
        return rejected_at("", fmt::format("The document has {} bytes; at most {} (64 MiB) are "
                                           "read. Split it.",
                                           bytes.size(), kMaximumDocumentBytes));
    }
    if (media_type == "application/json") {
        return facts_of_json(*known, bytes);
    }
    if (media_type == "text/csv") {
        return facts_of_csv(*known, bytes);
    }
    return rejected_at(
        "", fmt::format("Documents are application/json or text/csv, not {}.", media_type));
}

}  // namespace jobforge::passport
