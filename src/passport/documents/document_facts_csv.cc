#include "passport/documents/document_facts_csv.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text/csv.h"

namespace jobforge::passport {
namespace {

// A member that the header names: of a column, or of further members.
struct Member {
    std::string name;
    std::optional<std::size_t> column;
    std::vector<Member> members;
};

// The header as a tree, so that a row becomes an object in one walk.
class Header final {
public:
    [[nodiscard]] static Result<Header> make(const DocumentKind& kind,
                                             const std::vector<CsvCell>& cells);

    // The object of a row, without its empty cells; nullopt if it would take the count of values
    // beyond the limit.
    [[nodiscard]] std::optional<Json> object_of(const std::vector<CsvCell>& row,
                                                std::size_t& values) const;
    // Columns of the key's members, in the order in which they count.
    [[nodiscard]] const std::vector<std::size_t>& key_columns() const noexcept {
        return key_columns_;
    }

private:
    [[nodiscard]] Status add(const CsvCell& cell, std::size_t column);
    [[nodiscard]] static Json::Object members_of(const std::vector<Member>& members,
                                                 const std::vector<CsvCell>& row,
                                                 std::size_t& values);

    std::vector<Member> members_;
    std::vector<std::size_t> key_columns_;
};

Error at(const CsvCell& cell, std::string_view message) {
    return rejected_at(cell.line, cell.column, message);
}

Status Header::add(const CsvCell& cell, std::size_t column) {
    std::vector<Member>* level = &members_;
    std::string_view rest = cell.text;
    for (std::size_t depth = 1;; ++depth) {
        const std::size_t dot = rest.find('.');
        const std::string_view name = rest.substr(0, dot);
        const bool last = dot == std::string_view::npos;
        if (name.empty() || name.front() == ' ' || name.back() == ' ') {
            return at(cell, "a column's name is missing, or begins or ends with a space or a dot");
        }
        if (depth > kMaximumHeaderDepth) {
            return at(cell, fmt::format("a column's name has at most {} parts between dots",
                                        kMaximumHeaderDepth));
        }
        auto found = std::ranges::find(*level, name, &Member::name);
        if (found != level->end() && (last || found->column)) {
            return at(cell, last && found->column
                                ? fmt::format("the column \"{}\" is there twice", cell.text)
                                : fmt::format("the column \"{}\" is also part of another column's "
                                              "name: it cannot be a text and hold members",
                                              last ? cell.text : std::string(name)));
        }
        if (found == level->end()) {
            found = level->insert(level->end(), Member{std::string(name), {}, {}});
        }
        if (last) {
            found->column = column;
            return ok_status();
        }
        level = &found->members;
        rest.remove_prefix(dot + 1);
    }
}

Result<Header> Header::make(const DocumentKind& kind, const std::vector<CsvCell>& cells) {
    if (cells.size() == 1 && cells[0].text.find(';') != std::string::npos) {
        return at(cells[0], "the columns are separated by semicolons; export the file with commas");
    }
    Header header;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (auto added = header.add(cells[i], i); !added.ok()) {
            return std::move(added).error();
        }
    }
    for (const std::string_view name : kind.key_members) {
        const auto found = std::ranges::find(header.members_, name, &Member::name);
        if (found != header.members_.end() && found->column) {
            header.key_columns_.push_back(*found->column);
        }
    }
    if (header.key_columns_.empty()) {
        return at(cells[0], kind.key_members.size() > 1
                                ? "a column \"gtin\" or \"sku\" is missing"
                                : fmt::format("a column \"{}\" is missing", kind.key_members[0]));
    }
    return header;
}

Json::Object Header::members_of(const std::vector<Member>& members, const std::vector<CsvCell>& row,
                                std::size_t& values) {
    Json::Object object;
    for (const Member& member : members) {
        if (member.column) {
            const std::string& text = row[*member.column].text;
            if (!text.empty()) {
                object.emplace_back(member.name, Json(text));
                ++values;
            }
        } else if (auto inner = members_of(member.members, row, values); !inner.empty()) {
            object.emplace_back(member.name, Json(std::move(inner)));
            ++values;
        }
    }
    return object;
}

std::optional<Json> Header::object_of(const std::vector<CsvCell>& row, std::size_t& values) const {
    ++values;
    Json object(members_of(members_, row, values));
    if (values > kMaximumDocumentValues) {
        return std::nullopt;
    }
    return object;
}

Result<std::string> key_of(const DocumentKind& kind, const Header& header,
                           const std::vector<CsvCell>& row) {
    const auto& columns = header.key_columns();
    const auto given =
        std::ranges::find_if(columns, [&row](std::size_t i) { return !row[i].text.empty(); });
    const CsvCell& cell = row[given == columns.end() ? columns[0] : *given];
    if (auto fault = key_fault(cell.text); !fault.empty()) {
        return at(cell, fmt::format("the cell that names the entry {}", fault));
    }
    return fmt::format("{}:{}", kind.key_prefix, cell.text);
}

Status add_row(const DocumentKind& kind, const Header& header, const std::vector<CsvCell>& row,
               std::size_t& values, FactList& facts) {
    if (facts.size() == kMaximumDocumentFacts) {
        return at(row[0], too_many_facts_sentence());
    }
    if (kind.list.empty() && facts.size() == 1) {
        return at(row[0], fmt::format("a {} document is about one battery: one row below the "
                                      "header",
                                      kind.name));
    }
    auto key = key_of(kind, header, row);
    if (!key.ok()) {
        return std::move(key).error();
    }
    if (const std::string* first = facts.place_of(*key)) {
        return at(row[0],
                  fmt::format("{} is described twice in this document, first in {}", *key, *first));
    }
    auto object = header.object_of(row, values);
    if (!object) {
        return at(row[0], fmt::format("the document has more than {} values; split it into several "
                                      "documents",
                                      kMaximumDocumentValues));
    }
    facts.add({std::string(kind.fact_type), std::move(*key), std::move(*object),
               fmt::format("line {}", row[0].line)});
    return ok_status();
}

Error as_rejection(Error error) {
    error.code = ErrorCode::DOCUMENT_REJECTED;
    return error;
}

}  // namespace

Result<std::vector<DocumentFact>> facts_of_csv(const DocumentKind& kind, std::string_view bytes) {
    CsvReader reader(bytes);
    std::vector<CsvCell> row;
    auto more = reader.next(row);
    if (!more.ok()) {
        return as_rejection(std::move(more).error());
    }
    if (!*more) {
        return rejected_at(1, 1, "the document is empty; its first line names the columns");
    }
    const auto header = Header::make(kind, row);
    if (!header.ok()) {
        return header.error();
    }
    FactList facts;
    std::size_t values = 0;
    for (more = reader.next(row); more.ok() && *more; more = reader.next(row)) {
        if (auto added = add_row(kind, *header, row, values, facts); !added.ok()) {
            return std::move(added).error();
        }
    }
    if (!more.ok()) {
        return as_rejection(std::move(more).error());
    }
    if (kind.list.empty() && facts.size() == 0) {
        return rejected_at(1, 1,
                           fmt::format("a {} document is about one battery: one row below "
                                       "the header",
                                       kind.name));
    }
    return std::move(facts).take();
}

}  // namespace jobforge::passport
