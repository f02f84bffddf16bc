#include "cli/offline/passport_inputs.h"
#include "cli/usage.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>
#include <jobforge/uuid.h>

#include "base/crypto/hash.h"
#include "values/document_numbers.h"

namespace jobforge::cli {
namespace {

using rules::Fact;
namespace fs = std::filesystem;

Error bad(std::string message, std::string hint = {}) {
    Error error = Error::of(ErrorCode::VALIDATION_ERROR, std::move(message));
    error.hint = std::move(hint);
    return error;
}

Error in_file(const std::string& path, Error error) {
    error.message = fmt::format("{}: {}", path, error.message);
    return error;
}

struct Document {
    Json written;
    Json exact;  // numbers exact
    std::string sha256;
};

Result<Document> read_document(const std::string& path) {
    auto bytes = read_whole_file(path);
    if (!bytes.ok()) {
        return std::move(bytes).error();
    }
    auto parsed = Json::parse(*bytes);
    if (!parsed.ok()) {
        return in_file(path, std::move(parsed).error());
    }
    auto exact = with_exact_numbers(*parsed);
    if (!exact.ok()) {
        return in_file(path, std::move(exact).error());
    }
    return Document{std::move(*parsed), std::move(*exact), sha256_hex(*bytes)};
}

std::string file_name(const std::string& path) {
    return fs::path(path).filename().string();
}

// The text of a required member.
Result<std::string> text_member(const Json& json, const char* name, const std::string& path) {
    const Json* member = json.find(name);
    if (member == nullptr || !member->is_string()) {
        return bad(fmt::format("{}: \"{}\" is missing or not a text.", path, name));
    }
    return *member->as_string();
}

// `exact` is what `json` becomes. Type and key are texts there too, whatever they were.
Result<Fact> fact_of(const Json& json, const Json& exact, const std::string& path,
                     const std::string& sha256) {
    const Json* payload = exact.find("payload");
    if (!json.is_object() || payload == nullptr) {
        return bad(fmt::format("{}: this is not a fact.", path),
                   "Write {\"fact_type\": \"T\", \"fact_key\": \"k\", \"payload\": {...}}, or an "
                   "array of such; --fact TYPE:KEY=FILE takes a bare document.");
    }
    auto type = text_member(json, "fact_type", path);
    if (!type.ok()) {
        return std::move(type).error();
    }
    auto key = text_member(json, "fact_key", path);
    if (!key.ok()) {
        return std::move(key).error();
    }
    Fact fact;
    fact.fact_type = std::move(*type);
    fact.fact_key = std::move(*key);
    fact.payload = *payload;
    fact.numbers = numbers_made_text(*json.find("payload"), *payload);
    fact.source_sha256 = sha256;
    fact.source_name = file_name(path);
    return fact;
}

Status read_fact_file(const std::string& path, std::vector<Fact>& facts) {
    auto document = read_document(path);
    if (!document.ok()) {
        return std::move(document).error();
    }
    const Json::Array* written = document->written.as_array();
    const std::size_t count = written != nullptr ? written->size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
        auto fact =
            written != nullptr
                ? fact_of((*written)[i], (*document->exact.as_array())[i], path, document->sha256)
                : fact_of(document->written, document->exact, path, document->sha256);
        if (!fact.ok()) {
            return std::move(fact).error();
        }
        facts.push_back(std::move(*fact));
    }
    return ok_status();
}

}  // namespace

void add_input_options(Command command, PassportInputOptions& options) {
    command.option("--facts", options.facts_dir,
                   "Directory of facts: *.json, each {fact_type, fact_key, payload} or an "
                   "array of them");
    command.option("--fact", options.facts, "TYPE:KEY=FILE: a document as one fact")
        .one_at_a_time();
    command.option("--product", options.product_file, "JSON file: {battery_product_id, name, sku}")
        .required();
    command.option("--issued-on", options.issued_on, "Day of issue, like 2027-02-18").required();
}

Result<std::string> read_whole_file(const std::string& path) {
    if (path == "-") {
        return std::string(std::istreambuf_iterator<char>(std::cin), {});
    }
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        return bad(fmt::format("{} is a directory.", path));
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return bad(fmt::format("Cannot read {}: {}.", path, std::generic_category().message(errno)),
                   "Give the path of a file that exists and may be read.");
    }
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    if (file.bad()) {
        return bad(fmt::format("Cannot read {} to its end.", path));
    }
    return bytes;
}

Result<std::vector<Fact>> read_facts_directory(const std::string& directory) {
    std::error_code failure;
    std::vector<std::string> paths;
    for (fs::directory_iterator each(directory, failure), end; !failure && each != end;
         each.increment(failure)) {
        if (each->path().extension() == ".json") {
            paths.push_back(each->path().string());
        }
    }
    if (failure) {
        return bad(fmt::format("Cannot read the directory {}: {}.", directory, failure.message()));
    }
    std::ranges::sort(paths);
    std::vector<Fact> facts;
    for (const std::string& path : paths) {
        if (auto read = read_fact_file(path, facts); !read.ok()) {
            return std::move(read).error();
        }
    }
    return facts;
}

Result<Fact> read_fact_argument(const std::string& argument) {
    const std::size_t colon = argument.find(':');
    const std::size_t equals = argument.rfind('=');
    if (colon == std::string::npos || equals == std::string::npos || colon > equals) {
        return usage_error(fmt::format("--fact \"{}\" is not TYPE:KEY=FILE.", argument),
                           "Write it like --fact Battery:battery:SKU-1=battery.json.");
    }
    const std::string path = argument.substr(equals + 1);
    auto document = read_document(path);
    if (!document.ok()) {
        return std::move(document).error();
    }
    Fact fact;
    fact.fact_type = argument.substr(0, colon);
    fact.fact_key = argument.substr(colon + 1, equals - colon - 1);
    fact.numbers = numbers_made_text(document->written, document->exact);
    fact.payload = std::move(document->exact);
    fact.source_sha256 = std::move(document->sha256);
    fact.source_name = file_name(path);
    return fact;
}

Result<ProductInput> read_product(const std::string& file) {
    auto document = read_document(file);
    if (!document.ok()) {
        return std::move(document).error();
    }
    auto name = text_member(document->written, "name", file);
    if (!name.ok()) {
        return std::move(name).error();
    }
    auto sku = text_member(document->written, "sku", file);
    if (!sku.ok()) {
        return std::move(sku).error();
    }
    ProductInput product;
    product.name = std::move(*name);
    product.sku = std::move(*sku);
    if (document->written.find("battery_product_id") == nullptr) {
        return product;
    }
    auto id = text_member(document->written, "battery_product_id", file);
    if (!id.ok()) {
        return std::move(id).error();
    }
    const auto uuid = Uuid::parse(*id);
    if (!uuid) {
        return bad(fmt::format("{}: battery_product_id \"{}\" is not a UUID.", file, *id));
    }
    product.battery_product_id = uuid->to_string();
    return product;
}

Result<PassportInputs> read_passport_inputs(const PassportInputOptions& options) {
    PassportInputs inputs;
    if (!options.facts_dir.empty()) {
        auto facts = read_facts_directory(options.facts_dir);
        if (!facts.ok()) {
            return std::move(facts).error();
        }
        inputs.facts = std::move(*facts);
    }
    for (const std::string& argument : options.facts) {
        auto fact = read_fact_argument(argument);
        if (!fact.ok()) {
            return std::move(fact).error();
        }
        inputs.facts.push_back(std::move(*fact));
    }
    auto product = read_product(options.product_file);
    if (!product.ok()) {
        return std::move(product).error();
    }
    inputs.product = std::move(*product);
    const auto date = Date::parse(options.issued_on);
    if (!date) {
        return usage_error(fmt::format("--issued-on \"{}\" is not a day.", options.issued_on),
                           "Write it like 2027-02-18.");
    }
    inputs.issued_on = *date;
    return inputs;
}

Result<rules::Inputs> read_evaluation_inputs(const PassportInputOptions& options) {
    auto inputs = read_passport_inputs(options);
    if (!inputs.ok()) {
        return std::move(inputs).error();
    }
    auto facts = rules::FactSet::make(std::move(inputs->facts));
    if (!facts.ok()) {
        return std::move(facts).error();
    }
    return rules::Inputs{std::move(*facts), std::move(inputs->product.sku),
                         std::move(inputs->product.name), inputs->issued_on};
}

}  // namespace jobforge::cli
