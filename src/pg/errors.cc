#include "pg/errors.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <jobforge/json.h>
#include <libpq-fe.h>

#include "base/text/redact.h"

namespace jobforge::pg {

namespace {

constexpr std::string_view kMask = "***";

std::string field(const PGresult* result, int code) {
    const char* value = PQresultErrorField(result, code);
    return value == nullptr ? std::string() : std::string(value);
}

void trim_right(std::string& text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
        text.pop_back();
    }
}

bool is_sqlstate(std::string_view text) noexcept {
    return text.size() == 5 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
           });
}

// The last "SEVERITY:  SQLSTATE: message" of a verbose libpq message, as (sqlstate, message).
// Several attempts (one per address of a host) stack up in one text; the last one decided.
std::optional<std::pair<std::string, std::string>> sqlstate_in(std::string_view text) {
    constexpr std::string_view kBefore = ":  ";
    for (std::size_t at = text.rfind(kBefore); at != std::string_view::npos && at > 0;
         at = text.rfind(kBefore, at - 1)) {
        const std::string_view rest = text.substr(at + kBefore.size());
        if (rest.size() > 7 && rest.substr(5, 2) == ": " && is_sqlstate(rest.substr(0, 5))) {
            const std::string_view message = rest.substr(7);
            return std::pair(std::string(rest.substr(0, 5)),
                             std::string(message.substr(0, message.find('\n'))));
        }
    }
    return std::nullopt;
}

// Replaces what stands in [begin, end) and returns where the text goes on.
std::size_t mask(std::string& text, std::size_t begin, std::size_t end) {
    text.replace(begin, end - begin, kMask);
    return begin + kMask.size();
}

void mask_keyword(std::string& text, std::string_view keyword) {
    for (std::size_t at = text.find(keyword); at != std::string::npos;
         at = text.find(keyword, at)) {
        const std::size_t begin = at + keyword.size();
        const bool quoted = begin < text.size() && text[begin] == '\'';
        std::size_t end = text.find_first_of(quoted ? "'" : " &\n\"'", begin + (quoted ? 1 : 0));
        if (end != std::string::npos && quoted) {
            ++end;
        }
        at = mask(text, begin, std::min(end, text.size()));
    }
}

// scheme://user:SECRET@host. The last '@' before the end of the word counts: a password that was
// not percent-encoded may hold one itself.
void mask_urls(std::string& text) {
    for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at)) {
        at += 3;
        const std::size_t word_end = std::min(text.find_first_of(" \n\"", at), text.size());
        const std::size_t sign = text.rfind('@', word_end);
        const std::size_t colon = text.find(':', at);
        if (sign != std::string::npos && colon < sign && sign < word_end) {
            at = mask(text, colon + 1, sign);
        }
    }
}

// Which of our codes a foreign SQLSTATE means, and what it says about the connection.
struct Meaning {
    ErrorCode code;
    bool retryable;
    bool connection_lost;
};

struct MeaningRow {
    std::string_view prefix;
    Meaning meaning;
};

// First match wins: longer prefixes stand before the classes that contain them.
constexpr std::array kMeanings = {
    MeaningRow{"57014", {ErrorCode::TIMEOUT, true, false}},
    MeaningRow{"57P0", {ErrorCode::DB_UNAVAILABLE, true, true}},
    MeaningRow{"08", {ErrorCode::DB_UNAVAILABLE, true, true}},
    MeaningRow{"40", {ErrorCode::DB_UNAVAILABLE, true, false}},
    MeaningRow{"53", {ErrorCode::DB_UNAVAILABLE, true, false}},
    MeaningRow{"55P03", {ErrorCode::DB_UNAVAILABLE, true, false}},
    MeaningRow{"25006", {ErrorCode::DB_UNAVAILABLE, true, true}},
    MeaningRow{"28", {ErrorCode::UNAUTHORIZED, false, false}},
    MeaningRow{"3D000", {ErrorCode::NOT_FOUND, false, false}},
    MeaningRow{"42501", {ErrorCode::FORBIDDEN, false, false}},
    MeaningRow{"22", {ErrorCode::VALIDATION_ERROR, false, false}},
    MeaningRow{"23", {ErrorCode::VALIDATION_ERROR, false, false}},
};

// Our functions put a JSON object into DETAIL; Postgres's own details are sentences.
void take_detail(Error& error, const std::string& detail) {
    if (detail.empty() || detail.front() != '{') {
        return;
    }
    if (const auto parsed = Json::parse(detail); parsed.ok() && parsed->is_object()) {
        error.details = detail;
    }
}

}  // namespace

std::string scrub_secrets(std::string text, std::string_view password) {
    // Of a shorter password every letter would go out of every word, and what is missing would tell
    // it.
    if (password.size() >= Redactor::kShortestSecret) {
        for (std::size_t at = text.find(password); at != std::string::npos;
             at = text.find(password, at)) {
            at = mask(text, at, at + password.size());
        }
    }
    mask_keyword(text, "password=");
    mask_urls(text);
    return text;
}

Error error_from_sqlstate(std::string_view sqlstate, std::string message) {
    Error error;
    error.message = std::move(message);
    error.sqlstate = sqlstate;
    if (const auto code = error_code_from_sqlstate(sqlstate)) {
        error.code = *code;
        error.retryable = retryable_by_default(*code);
        return error;
    }
    for (const MeaningRow& row : kMeanings) {
        if (sqlstate.starts_with(row.prefix)) {
            error.code = row.meaning.code;
            error.retryable = row.meaning.retryable;
            error.connection_lost = row.meaning.connection_lost;
            return error;
        }
    }
    error.code = ErrorCode::INTERNAL_ERROR;
    error.retryable = false;
    return error;
}

Error error_from_result(PGconn* connection, const PGresult* result, std::string_view statement) {
    const std::string sqlstate = field(result, PG_DIAG_SQLSTATE);
    if (sqlstate.empty()) {
        return error_from_connection(connection, statement);
    }
    std::string message = field(result, PG_DIAG_MESSAGE_PRIMARY);
    const std::string constraint = field(result, PG_DIAG_CONSTRAINT_NAME);
    if (!constraint.empty() && message.find(constraint) == std::string::npos) {
        message += fmt::format(" (constraint {})", constraint);
    }
    Error error =
        error_from_sqlstate(sqlstate, scrub_secrets(std::move(message), PQpass(connection)));
    error.statement = statement;
    error.hint = field(result, PG_DIAG_MESSAGE_HINT);
    if (sqlstate == "25006") {
        error.hint =
            "The server is a standby, or default_transaction_read_only is on for it, the database "
            "or "
            "the role. Name all servers in the URL, or switch it off.";
    } else if (sqlstate == "42501" &&
               error.message.find("would be affected by row-level security") != std::string::npos) {
        error.hint = "row_security is off for this session; our functions need it on.";
    }
    take_detail(error, field(result, PG_DIAG_MESSAGE_DETAIL));
    error.connection_lost = error.connection_lost || PQstatus(connection) == CONNECTION_BAD;
    return error;
}

Error error_from_connection(PGconn* connection, std::string_view statement) {
    std::string message = scrub_secrets(PQerrorMessage(connection), PQpass(connection));
    trim_right(message);
    std::replace(message.begin(), message.end(), '\n', ' ');
    const bool lost = PQstatus(connection) == CONNECTION_BAD;
    Error error = Error::of(lost ? ErrorCode::DB_UNAVAILABLE : ErrorCode::INTERNAL_ERROR,
                            message.empty() ? "the connection to Postgres failed" : message);
    error.retryable = lost;
    error.connection_lost = lost;
    error.statement = statement;
    return error;
}

Error error_from_handshake(PGconn* connection) {
    std::string message = scrub_secrets(PQerrorMessage(connection), PQpass(connection));
    if (auto found = sqlstate_in(message)) {
        Error error = error_from_sqlstate(found->first, std::move(found->second));
        if (error.code == ErrorCode::INTERNAL_ERROR) {
            error.code = ErrorCode::DB_UNAVAILABLE;
        }
        error.connection_lost = error.retryable;
        return error;
    }
    if (PQconnectionNeedsPassword(connection) != 0) {
        return Error::of(ErrorCode::UNAUTHORIZED, "the server asks for a password; none was given");
    }
    Error error = error_from_connection(connection, {});
    error.code = ErrorCode::DB_UNAVAILABLE;
    error.retryable = true;
    error.connection_lost = true;
    return error;
}

}  // namespace jobforge::pg
