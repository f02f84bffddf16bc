// Writing JSON text: compact and indented.
#include <jobforge/json.h>

#include <array>

#include "base/json/json_plain.h"
#include "base/json/json_quote.h"
#include "base/text/utf8.h"

namespace jobforge {
namespace {

// U+FFFD for bytes that JSON text cannot hold: a log line or a stored error must stay readable by
// every parser (and by jsonb, which refuses U+0000) even if a handler put garbage into it.
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// What to write for a byte below 0x20, a quote or a backslash; empty for all others.
constexpr std::array<std::string_view, 0x60> make_escapes() {
    std::array<std::string_view, 0x60> escapes{};
    constexpr std::array<std::string_view, 0x20> kControls = {
        kReplacement, "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007",
        "\\b",        "\\t",     "\\n",     "\\u000b", "\\f",     "\\r",     "\\u000e", "\\u000f",
        "\\u0010",    "\\u0011", "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017",
        "\\u0018",    "\\u0019", "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f"};
    for (std::size_t i = 0; i < kControls.size(); ++i) {
        escapes[i] = kControls[i];
    }
    escapes['"'] = "\\\"";
    escapes['\\'] = "\\\\";
    return escapes;
}

constexpr auto kEscapes = make_escapes();

std::string_view escape_of(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return byte < kEscapes.size() ? kEscapes[byte] : std::string_view();
}

}  // namespace

void append_json_quoted(std::string& out, std::string_view text) {
    out += '"';
    const char* const end = text.data() + text.size();
    const char* plain = text.data();  // start of the stretch that needs no change
    for (const char* at = skip_plain(plain, end); at != end; at = skip_plain(at, end)) {
        const std::size_t length = utf8_sequence_length(at, end);
        const std::string_view escape = length == 0 ? kReplacement : escape_of(*at);
        if (escape.empty()) {
            at += length;
            continue;
        }
        out.append(plain, static_cast<std::size_t>(at - plain));
        out += escape;
        plain = ++at;
    }
    out.append(plain, static_cast<std::size_t>(end - plain));
    out += '"';
}

namespace {

class Writer final {
public:
    explicit Writer(bool pretty) noexcept : pretty_(pretty) {}

    void write(const Json& value) {
        switch (value.kind()) {
            case Json::Kind::null:
                out_ += "null";
                return;
            case Json::Kind::boolean:
                out_ += *value.as_bool() ? "true" : "false";
                return;
            case Json::Kind::number:
                out_ += *value.number_text();
                return;
            case Json::Kind::string:
                append_json_quoted(out_, *value.as_string());
                return;
            case Json::Kind::array:
                write_list('[', *value.as_array(), ']', [this](const Json& item) { write(item); });
                return;
            case Json::Kind::object:
                write_list('{', *value.as_object(), '}', [this](const Json::Member& member) {
                    append_json_quoted(out_, member.first);
                    out_ += pretty_ ? ": " : ":";
                    write(member.second);
                });
                return;
        }
    }

    [[nodiscard]] std::string take() && { return std::move(out_); }

private:
    template <typename List, typename WriteElement>
    void write_list(char open, const List& list, char close, WriteElement write_element) {
        out_ += open;
        ++depth_;
        bool first = true;
        for (const auto& element : list) {
            if (!first) {
                out_ += ',';
            }
            first = false;
            new_line();
            write_element(element);
        }
        --depth_;
        if (!list.empty()) {
            new_line();
        }
        out_ += close;
    }

    void new_line() {
        if (pretty_) {
            out_ += '\n';
            out_.append(depth_ * 2, ' ');
        }
    }

    std::string out_;
    std::size_t depth_ = 0;
    bool pretty_;
};

std::string write_text(const Json& value, bool pretty) {
    Writer writer(pretty);
    writer.write(value);
    return std::move(writer).take();
}

}  // namespace

std::string Json::dump() const {
    return write_text(*this, false);
}

std::string Json::pretty() const {
    return write_text(*this, true);
}

std::string json_quote(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 2);
    append_json_quoted(out, text);
    return out;
}

}  // namespace jobforge
