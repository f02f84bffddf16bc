#include "api/docs_page.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "api/html_text.h"

namespace jobforge::api {

namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Jobforge API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #1c2430; background: #fff }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #d5dbe3 }
table { border-collapse: collapse; width: 100% }
td { padding: .3rem .6rem .3rem 0; vertical-align: top; border-bottom: 1px solid #eef1f5 }
code { font: 14px/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
.m { font-weight: 600; width: 4.5rem } .p { color: #5a6675; font-size: 14px }
@media (prefers-color-scheme: dark) { body { color: #dfe5ec; background: #12161c }
  h2, td { border-color: #2b333d } a { color: #8ab8ff } .p { color: #9aa7b5 } }
</style></head><body>
<h1>Jobforge API</h1>
<p>Every path but those of the program itself needs a key, made with
<code>jobforge keys create NAME --role Admin</code>:</p>
<p><code>curl -H "Authorization: Bearer $KEY" http://127.0.0.1:8080/v1/jobs</code></p>
<p>Bodies, answers and errors: <a href="/v1/openapi.yaml">openapi.yaml</a>, for people and for
generators of clients.</p>
)";

// The line's value if it stands at this level under this key.
std::optional<std::string_view> value_at(std::string_view line, std::size_t blanks,
                                         std::string_view key) {
    if (line.find_first_not_of(' ') != blanks || !line.substr(blanks).starts_with(key)) {
        return std::nullopt;
    }
    std::string_view value = line.substr(blanks + key.size());
    if (value.starts_with('"') && value.ends_with('"') && value.size() > 1) {
        value = value.substr(1, value.size() - 2);
    }
    return value;
}

bool is_method(std::string_view word) {
    constexpr std::string_view kMethods[] = {"get", "post", "put", "patch", "delete"};
    return std::find(std::begin(kMethods), std::end(kMethods), word) != std::end(kMethods);
}

std::string upper(std::string_view word) {
    std::string text(word);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return static_cast<char>(c - ('a' - 'A')); });
    return text;
}

void read_line(std::string_view line, std::string& path, std::vector<DocumentedOperation>& out) {
    if (const auto value = value_at(line, 2, "/")) {
        path = "/" + std::string(value->substr(0, value->size() - 1));
        return;
    }
    const std::size_t blanks = line.find_first_not_of(' ');
    if (blanks == 4 && line.ends_with(':') && is_method(line.substr(4, line.size() - 5))) {
        out.push_back({upper(line.substr(4, line.size() - 5)), path, {}, {}, {}, {}});
    } else if (const auto example = value_at(line, 12, "example: "); example && !out.empty()) {
        out.back().example = *example;
    } else if (!out.empty() && blanks == 6) {
        if (const auto tag = value_at(line, 6, "tags: [")) {
            out.back().tag = tag->substr(0, tag->size() - 1);
        } else if (const auto summary = value_at(line, 6, "summary: ")) {
            out.back().summary = *summary;
        } else if (const auto description = value_at(line, 6, "description: ")) {
            out.back().description = *description;
        }
    }
}

}  // namespace

std::vector<DocumentedOperation> documented_operations(std::string_view yaml) {
    std::vector<DocumentedOperation> operations;
    std::string path;
    bool in_paths = false;
    while (!yaml.empty()) {
        const std::size_t end = std::min(yaml.find('\n'), yaml.size());
        const std::string_view line = yaml.substr(0, end);
        yaml.remove_prefix(std::min(end + 1, yaml.size()));
        if (!line.empty() && line.front() != ' ') {
            in_paths = line == "paths:";
        } else if (in_paths) {
            read_line(line, path, operations);
        }
    }
    return operations;
}

std::string docs_page(std::string_view yaml) {
    std::string page(kHead);
    std::string tag;
    for (const DocumentedOperation& operation : documented_operations(yaml)) {
        if (operation.tag != tag) {
            page += tag.empty() ? "" : "</table>\n";
            tag = operation.tag;
            page += fmt::format("<h2>{}</h2>\n<table>\n", html_escaped(tag));
        }
        std::string needs = operation.description;
        std::erase(needs, '`');
        page += fmt::format(
            "<tr><td class=\"m\">{}</td><td><code>{}</code><br>{}. <span class=\"p\">{}</span>"
            "</td></tr>\n",
            operation.method, html_escaped(operation.path), html_escaped(operation.summary),
            html_escaped(needs));
    }
    return page + (tag.empty() ? "" : "</table>\n") + "</body></html>\n";
}

}  // namespace jobforge::api
