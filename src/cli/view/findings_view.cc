#include "cli/view/findings_view.h"

#include <fmt/format.h>

#include "cli/commands/use_case.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"

namespace jobforge::cli {

std::string finding_counts(const Json& findings) {
    const Json* counts = findings.find("counts");
    const Json::Object* members = counts == nullptr ? nullptr : counts->as_object();
    std::string text;
    if (members != nullptr) {
        for (const auto& [status, count] : *members) {
            if (count.as_int64().value_or(0) > 0) {
                text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count.dump(), status);
            }
        }
    }
    return text.empty() ? "none" : text;
}

std::string finding_table(const Json& findings) {
    const Json* entries = findings.find("entries");
    if (entries == nullptr || !entries->is_array() || entries->as_array()->empty()) {
        return {};
    }
    Table table({"STATUS", "ID", "ACCEPTED", "EVIDENCE"});
    for (const Json& entry : *entries->as_array()) {
        const Json* accepted = entry.find("accepted");
        const std::string reason = accepted != nullptr ? text_member(*accepted, "reason") : "";
        table.add({text_member(entry, "status"), text_member(entry, "id"),
                   reason.empty()
                       ? "-"
                       : fmt::format("{} by {}", reason, cell_of(*accepted, "accepted_by")),
                   text_member(entry, "evidence")});
    }
    return "\n" + table.text();
}

}  // namespace jobforge::cli
