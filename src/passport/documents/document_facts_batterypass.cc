#include "passport/documents/document_facts_batterypass.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "passport/documents/document_facts_batterypass_table.h"
#include "passport/documents/document_facts_kind.h"
#include "passport/documents/document_facts_member.h"
#include "passport/documents/document_facts_placeholder.h"
#include "values/decimal.h"
#include "values/document_numbers.h"
#include "values/gs1.h"

namespace jobforge::passport {
namespace {

using namespace batterypass;  // NOLINT(google-build-using-namespace): the tables of this file
using enum MemberKind;

// The submodels by the names that documents give them, and a member that only this one has.
struct Submodel {
    std::string_view name;
    std::vector<std::string_view> also;
    std::vector<std::string_view> signs;
};

std::span<const Submodel> submodels() {
    static const std::vector<Submodel> kSubmodels = {
        {"generalProductInformation", {}, {"batteryPassportIdentifier", "batteryCategory"}},
        {"carbonFootprint", {"carbonFootprintForBatteries"}, {"batteryCarbonFootprint"}},
        {"circularity", {}, {"dismantlingAndRemovalInformation"}},
        {"materialComposition", {}, {"batteryMaterials"}},
        {"performanceAndDurability",
         {"performance"},
         {"batteryTechicalProperties", "batteryTechnicalProperties", "batteryCondition"}},
        {"labels", {"labeling"}, {"declarationOfConformity"}},
        {"supplyChainDueDiligence", {}, {"supplyChainDueDiligenceReport"}},
    };
    return kSubmodels;
}

bool same_name(std::string_view given, std::string_view wanted) {
    // GeneralProductInformation too: generators differ about the first letter.
    return given.size() == wanted.size() && given.substr(1) == wanted.substr(1) &&
           (given.front() | 0x20) == wanted.front();
}

bool is_named(std::string_view given, const Submodel& submodel) {
    return same_name(given, submodel.name) ||
           std::ranges::any_of(submodel.also,
                               [given](std::string_view name) { return same_name(given, name); });
}

// The submodel that the document is, all by itself; nullptr if it is none.
const Submodel* single_submodel(const Json& document) {
    const auto found = std::ranges::find_if(submodels(), [&document](const Submodel& submodel) {
        return std::ranges::any_of(submodel.signs, [&document](std::string_view sign) {
            return document.find(sign) != nullptr;
        });
    });
    return found == submodels().end() ? nullptr : &*found;
}

// Where a submodel stands: its object and the pointer to it. The object is nullptr if it is absent.
SourcePlace place_of(const Json& document, const Submodel& submodel) {
    for (const auto& [name, member] : *document.as_object()) {
        if (is_named(name, submodel) && member.is_object()) {
            return {&member, json_pointer_token(name)};
        }
    }
    return {nullptr, ""};
}

bool is_combined(const Json& document) {
    return place_of(document, submodels().front()).json != nullptr;
}

// Anything that a generator wrote, wherever it stands, also where the mapping does not look.
Status refuse_placeholders(const SourcePlace& place) {
    constexpr NumberRange kAnything{"-1000000000000000", "1000000000000000"};
    const Json& json = *place.json;
    if (json.is_number() && !is_within(json, kAnything)) {
        return placeholder_number(place);
    }
    if (json.is_string() && is_generated_text(*json.as_string())) {
        return placeholder_text(place);
    }
    if (const Json::Array* items = json.as_array()) {
        for (std::size_t i = 0; i < items->size(); ++i) {
            auto done = refuse_placeholders({&(*items)[i], fmt::format("{}/{}", place.pointer, i)});
            if (!done.ok()) {
                return done;
            }
        }
    } else if (const Json::Object* members = json.as_object()) {
        for (const auto& [name, member] : *members) {
            auto done = refuse_placeholders({&member, place.pointer + json_pointer_token(name)});
            if (!done.ok()) {
                return done;
            }
        }
    }
    return ok_status();
}

// Adds to one BatteryData document; the first fault ends it.
class Mapper final {
public:
    explicit Mapper(const Json& document) : document_(document) {}

    [[nodiscard]] Result<Json> map() {
        for (const auto step :
             {&Mapper::general, &Mapper::identity, &Mapper::footprint, &Mapper::circularity,
              &Mapper::materials, &Mapper::performance, &Mapper::labels, &Mapper::due_diligence}) {
            if (auto done = (this->*step)(); !done.ok()) {
                return std::move(done).error();
            }
        }
        return std::move(made_);
    }

private:
    [[nodiscard]] SourcePlace submodel(std::string_view name) const {
        const auto known = std::ranges::find(submodels(), name, &Submodel::name);
        if (single_submodel(document_) == &*known && !is_combined(document_)) {
            return {&document_, ""};
        }
        return place_of(document_, *known);
    }

    Status general() {
        const SourcePlace place = submodel("generalProductInformation");
        if (place.json == nullptr) {
            return rejected_at("", fmt::format("This is the submodel {} of a BatteryPass alone, "
                                               "which does not say which battery it is about. Put "
                                               "the submodels of one battery into one document, "
                                               "with its generalProductInformation.",
                                               single_submodel(document_)->name));
        }
        if (auto done = take_all(kGeneral, place, made_); !done.ok()) {
            return done;
        }
        if (auto done = take_word(kCategories, place, "batteryCategory", "category"); !done.ok()) {
            return done;
        }
        return take_names(place);
    }

    // The names of manufacturer and operator as BatteryData has them, and their GLNs if they are.
    Status take_names(const SourcePlace& place) {
        const SourcePlace name = below(place, "manufacturerInformation.contactName");
        if (name.json != nullptr && name.json->is_string()) {
            put(made_, "manufacturer.organizationName",
                Json::array({Json::object({{"value", *name.json}})}));
        }
        const auto take_gln = [&](std::string_view from, std::string_view to) {
            const SourcePlace id = below(place, from);
            const std::string* text = id.json != nullptr ? id.json->as_string() : nullptr;
            if (text != nullptr && text->size() == 13 && gs1_check_digit(*text)) {
                put(made_, to, *text);
            }
        };
        take_gln("manufacturerInformation.identifier", "manufacturer.globalLocationNumber");
        take_gln("operatorInformation.identifier", "operatorInformation.gln");
        return ok_status();
    }

    // A GTIN as it is or in a GS1 Digital Link, else the article number.
    Status identity() {
        const SourcePlace place = submodel("generalProductInformation");
        const SourcePlace id = below(place, "productIdentifier");
        const std::string* text = id.json != nullptr ? id.json->as_string() : nullptr;
        if (text == nullptr) {
            return rejected_at(place.pointer,
                               "A BatteryPass needs a \"productIdentifier\", to say "
                               "which battery it is about; here is none.");
        }
        const auto is_gtin = [](std::string_view candidate) {
            return candidate.size() >= 8 && candidate.size() <= 14 && gs1_check_digit(candidate);
        };
        const std::string linked = part_behind(*text, "/01/");
        if (is_gtin(*text) || is_gtin(linked)) {
            made_.set("gtin", is_gtin(*text) ? *text : linked);
        } else {
            made_.set("sku", *text);
        }
        if (const std::string serial = part_behind(*text, "/21/"); !serial.empty()) {
            made_.set("serialNumber", serial);
        }
        return ok_status();
    }

    static std::string part_behind(std::string_view link, std::string_view mark) {
        const std::size_t at = link.find(mark);
        if (at == std::string_view::npos) {
            return {};
        }
        const std::string_view rest = link.substr(at + mark.size());
        return std::string(rest.substr(0, rest.find_first_of("/?#")));
    }

    Status footprint() {
        const SourcePlace place = submodel("carbonFootprint");
        if (auto done = take_all(kFootprints, place, made_); !done.ok()) {
            return done;
        }
        if (below(place, "batteryCarbonFootprint").json != nullptr) {
            put(made_, "carbonFootprintDeclaration.functionalUnit",
                "1 kWh of the total energy provided over the expected service life");
        }
        return for_each(place, "carbonFootprintPerLifecycleStage", [this](const SourcePlace& item) {
            const auto stage = word_at(kStages, item, "lifecycleStage");
            if (!stage.ok()) {
                return Status(stage.error());
            }
            return take_one({"carbonFootprint", *stage, quantity, "KGM", kFootprint}, item, made_);
        });
    }

    Status circularity() {
        const SourcePlace place = submodel("circularity");
        if (auto done = take_all(kCircularity, place, made_); !done.ok()) {
            return done;
        }
        if (auto done = take_list(kDismantlingDocument, place, "dismantlingAndRemovalInformation",
                                  "dismantlingDocuments");
            !done.ok()) {
            return done;
        }
        if (auto done = for_each(place, "sparePartSources",
                                 [this](const SourcePlace& item) { return spare_parts(item); });
            !done.ok()) {
            return done;
        }
        return for_each(place, "recycledContent",
                        [this](const SourcePlace& item) { return recycled(item); });
    }

    // BatteryData has one source; the others follow it.
    Status spare_parts(const SourcePlace& item) {
        Json source = Json::object();
        if (auto done = take_all(kSparePartSource, item, source); !done.ok()) {
            return done;
        }
        auto parts = list_of(kSparePart, item, "components");
        if (!parts.ok()) {
            return std::move(parts).error();
        }
        if (!parts->as_array()->empty()) {
            source.set("spareParts", std::move(*parts));
        }
        if (made_.find("sparePartSources") == nullptr) {
            made_.set("sparePartSources", std::move(source));
            return ok_status();
        }
        const Json* others = made_.find("furtherSparePartSources");
        Json list = others != nullptr ? *others : Json::array();
        list.push_back(std::move(source));
        made_.set("furtherSparePartSources", std::move(list));
        return ok_status();
    }

    // Cobalt: cobaltPreConsumerShare, cobaltPostConsumerShare, and their sum.
    Status recycled(const SourcePlace& item) {
        const auto material = word_at(kRecycled, item, "recycledMaterial");
        if (!material.ok()) {
            return material.error();
        }
        DecimalSum sum;
        int scale = 0;
        int shares = 0;
        for (const Word& share : {Word{"preConsumerShare", "PreConsumerShare"},
                                  Word{"postConsumerShare", "PostConsumerShare"}}) {
            const std::string to = fmt::format("recycledContent.{}{}", *material, share.to);
            if (auto done = take_one({share.from, to, number, "", kPercent}, item, made_);
                !done.ok()) {
                return done;
            }
            const SourcePlace given = below(item, share.from);
            if (const auto value = exact_decimal(given.json)) {
                sum.add(*value);
                scale = std::max(scale, value->scale());
                ++shares;
            }
        }
        if (shares == 2) {
            put(made_, fmt::format("recycledContent.{}RecycledShare", *material),
                sum.total(scale).value().text());
        }
        return ok_status();
    }

    Status materials() {
        const SourcePlace place = submodel("materialComposition");
        if (auto done = take_all(kChemistry, place, made_); !done.ok()) {
            return done;
        }
        if (auto done = take_list(kMaterial, place, "batteryMaterials", "materialComposition");
            !done.ok()) {
            return done;
        }
        if (auto done = weigh_materials(place); !done.ok()) {
            return done;
        }
        return take_list(kSubstance, place, "hazardousSubstances", "hazardousSubstances");
    }

    // The share of each material in the battery's mass: grams of a kilogram, a tenth of a percent.
    Status weigh_materials(const SourcePlace& place) {
        const SourcePlace mass = below(submodel("generalProductInformation"), "batteryMass");
        const auto kilograms = exact_decimal(mass.json);
        const Json* list = made_.find("materialComposition");
        if (!kilograms || kilograms->sign() <= 0 || list == nullptr) {
            return ok_status();
        }
        Json weighed = Json::array();
        for (std::size_t i = 0; i < list->as_array()->size(); ++i) {
            Json material = (*list->as_array())[i];
            const Json* grams = material.find("mass");
            const auto value = exact_decimal(grams != nullptr ? grams->find("value") : nullptr);
            if (value) {
                const auto share = divide_ratio(*value, *kilograms, 1, 10, 3);
                const auto whole = multiply(*kilograms, Decimal::from_int(1000));
                if (!share.ok() || !whole.ok() || *value > *whole) {
                    return placeholder_number(
                        below({&(*below(place, "batteryMaterials").json->as_array())[i],
                               fmt::format("{}/batteryMaterials/{}", place.pointer, i)},
                              "batteryMaterialMass"));
                }
                material.set("weightPercentage", share->text());
            }
            weighed.push_back(std::move(material));
        }
        made_.set("materialComposition", std::move(weighed));
        return ok_status();
    }

    Status performance() {
        const SourcePlace place = submodel("performanceAndDurability");
        // The model's own spelling, and the right one.
        for (const std::string_view name :
             {"batteryTechicalProperties", "batteryTechnicalProperties"}) {
            const SourcePlace technical = below(place, name);
            if (auto done = take_all(kTechnical, technical, made_); !done.ok()) {
                return done;
            }
            if (auto done = take_of_pack(
                    technical, "initialInternalResistance",
                    {"ohmicResistance", "technicalSpecifications.initialInternalResistance",
                     quantity, "OHM", kOhms});
                !done.ok()) {
                return done;
            }
        }
        const SourcePlace condition = below(place, "batteryCondition");
        if (auto done = take_all(kCondition, condition, made_); !done.ok()) {
            return done;
        }
        if (auto done =
                take_of_pack(condition, "internalResistanceIncrease",
                             {"internalResistanceIncreaseValue",
                              "dynamicData.internalResistanceIncrease", number, "", kGrowth});
            !done.ok()) {
            return done;
        }
        return take_list(kEvent, condition, "negativeEvents", "dynamicData.negativeEvents");
    }

    // Of a list of pack, modules and cells: BatteryData speaks of the battery.
    Status take_of_pack(const SourcePlace& place, std::string_view list, const Member& member) {
        return for_each(place, list, [&](const SourcePlace& item) {
            const SourcePlace component = below(item, "batteryComponent");
            const bool is_pack = component.json != nullptr && *component.json == Json("pack");
            Json unused = Json::object();
            return take_one(member, item, is_pack ? made_ : unused);
        });
    }

    Status labels() {
        const SourcePlace place = submodel("labels");
        if (auto done = take_all(kLabels, place, made_); !done.ok()) {
            return done;
        }
        Json labels = Json::array();
        auto done = for_each(place, "labels",
                             [&](const SourcePlace& item) { return one_label(item, labels); });
        if (done.ok() && !labels.as_array()->empty()) {
            made_.set("labels", std::move(labels));
        }
        return done;
    }

    Status one_label(const SourcePlace& item, Json& labels) {
        Json label = Json::object();
        if (auto done = take_one({"labelingSymbol", "labelSymbol", text}, item, label);
            !done.ok()) {
            return done;
        }
        const auto subject = word_at(kLabelSubjects, item, "labelingSubject");
        if (!subject.ok()) {
            return subject.error();
        }
        label.set("labelSubject", std::string(*subject));
        const SourcePlace meaning = below(item, "labelingMeaning");
        if (meaning.json != nullptr && meaning.json->is_object()) {
            Json texts = Json::array();
            for (const auto& [language, text] : *meaning.json->as_object()) {
                texts.push_back(Json::object({{"language", language}, {"value", text}}));
            }
            label.set("labelMeaning", std::move(texts));
        }
        if (const Json* symbol = label.find("labelSymbol")) {
            if (*subject == "SeparateCollection") {
                made_.set("separateCollectionSymbolUrl", *symbol);
            } else if (*subject == "HazardousMaterial") {
                made_.set("cadmiumLeadSymbolUrl", *symbol);
            }
        }
        labels.push_back(std::move(label));
        return ok_status();
    }

    Status due_diligence() {
        return take_all(kDueDiligence, submodel("supplyChainDueDiligence"), made_);
    }

    // --- Words and lists

    static Result<std::string_view> word_at(std::span<const Word> words, const SourcePlace& place,
                                            std::string_view from) {
        const SourcePlace given = below(place, from);
        const std::string* text = given.json != nullptr ? given.json->as_string() : nullptr;
        const auto found = std::ranges::find_if(
            words, [text](const Word& word) { return text != nullptr && word.from == *text; });
        if (found != words.end()) {
            return found->to;
        }
        std::string known;
        for (const Word& word : words) {
            known += fmt::format("{}{}", known.empty() ? "" : ", ", word.from);
        }
        return rejected_at(fmt::format("{}/{}", place.pointer, from),
                           fmt::format("\"{}\" is one of {}.", from, known));
    }

    Status take_word(std::span<const Word> words, const SourcePlace& place, std::string_view from,
                     std::string_view to) {
        if (below(place, from).json == nullptr) {
            return ok_status();
        }
        const auto word = word_at(words, place, from);
        if (!word.ok()) {
            return word.error();
        }
        put(made_, to, std::string(*word));
        return ok_status();
    }

    Status take_list(std::span<const Member> members, const SourcePlace& place,
                     std::string_view from, std::string_view to) {
        auto list = list_of(members, place, from);
        if (!list.ok()) {
            return std::move(list).error();
        }
        if (!list->as_array()->empty()) {
            put(made_, to, std::move(*list));
        }
        return ok_status();
    }

    const Json& document_;
    Json made_ = Json::object();
};

}  // namespace

bool is_battery_pass(const Json& document) {
    return document.is_object() && document.find("gtin") == nullptr &&
           document.find("sku") == nullptr &&
           (is_combined(document) || single_submodel(document) != nullptr);
}

Result<Json> battery_data_of(const Json& document) {
    if (auto real = refuse_placeholders({&document, ""}); !real.ok()) {
        return std::move(real).error();
    }
    return Mapper(document).map();
}

}  // namespace jobforge::passport
