// What `rules eval`, `rules explain` and `passport compile` read from files: facts, the product and
// the day of issue. The pure rooms touch no files, so it happens here.
//
// Numbers of documents are made exact (core/document_numbers.h) before anything looks at them, and
// the SHA-256 of a file's bytes is its facts' source_sha256.
#pragma once

#include <string>
#include <vector>

#include <jobforge/error.h>

#include "cli/command_line.h"
#include "rules/eval/evaluator.h"
#include "values/date.h"

namespace jobforge::cli {

struct PassportInputOptions {
    std::string facts_dir;           // --facts DIR
    std::vector<std::string> facts;  // --fact TYPE:KEY=FILE
    std::string product_file;        // --product FILE
    std::string issued_on;           // --issued-on DATE
};

struct ProductInput {
    std::string battery_product_id;  // lower case with dashes; empty if the file has none
    std::string name;
    std::string sku;
};

struct PassportInputs {
    std::vector<rules::Fact> facts;  // in the order in which they were read
    ProductInput product;
    Date issued_on;
};

// Declares the four options; --product and --issued-on are required.
void add_input_options(Command command, PassportInputOptions& options);

// Everything the options name. VALIDATION_ERROR, DOCUMENT_REJECTED; messages name the file.
[[nodiscard]] Result<PassportInputs> read_passport_inputs(const PassportInputOptions& options);
// The same, as the evaluator takes it.
[[nodiscard]] Result<rules::Inputs> read_evaluation_inputs(const PassportInputOptions& options);

// Every *.json file of the directory by name: one {"fact_type","fact_key","payload"} or an array of
// such.
[[nodiscard]] Result<std::vector<rules::Fact>> read_facts_directory(const std::string& directory);
// TYPE:KEY=FILE: the whole document is the payload. The key may hold colons and equals signs.
[[nodiscard]] Result<rules::Fact> read_fact_argument(const std::string& argument);
[[nodiscard]] Result<ProductInput> read_product(const std::string& file);

// The bytes of a file, "-" for standard input. VALIDATION_ERROR with the system's reason.
[[nodiscard]] Result<std::string> read_whole_file(const std::string& path);

}  // namespace jobforge::cli
