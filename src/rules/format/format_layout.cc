#include "rules/format/format_layout.h"

#include <algorithm>
#include <ranges>

namespace jobforge::rules {

namespace {

// Columns, as code points.
std::size_t columns(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Collects lines; indentation is written with the first word of a line.
class Lines final {
public:
    void write(std::string_view text, std::size_t indent) {
        if (text == " " && (at_start_ || out_.ends_with(' '))) {
            return;
        }
        if (at_start_) {
            out_.append(indent, ' ');
            column_ = indent;
            at_start_ = false;
        }
        out_ += text;
        column_ += columns(text);
    }
    void end_line() {
        if (at_start_) {
            return;
        }
        while (out_.ends_with(' ')) {
            out_.pop_back();
        }
        out_ += '\n';
        at_start_ = true;
        column_ = 0;
    }
    void blank_line() {
        end_line();
        if (!out_.empty() && !out_.ends_with("\n\n")) {
            out_ += '\n';
        }
    }
    [[nodiscard]] std::size_t column(std::size_t indent) const noexcept {
        return at_start_ ? indent : column_;
    }
    [[nodiscard]] std::string take() {
        end_line();
        while (out_.ends_with("\n\n")) {
            out_.pop_back();
        }
        return std::move(out_);
    }

private:
    std::string out_;
    std::size_t column_ = 0;
    bool at_start_ = true;
};

}  // namespace

void Layout::word(std::string_view text) {
    add(Kind::word, text);
}

void Layout::add_before_comment(Kind kind) {
    const bool behind_comment = !items_.empty() && items_.back().kind == Kind::trailing_comment;
    items_.insert(behind_comment ? items_.end() - 1 : items_.end(), Item{kind, {}});
}

// From the end: `flat` is the width of everything behind an item up to the next place where the
// line may end whatever happens; `tail` the same, but up to the next soft break too.
void Layout::measure() {
    struct Frame {
        std::size_t flat = 0;  // inside the group so far
        bool never = false;
    };
    std::vector<Frame> frames{{}};
    std::vector<std::size_t> tails;  // behind each open group: up to where the line may end
    std::size_t tail = 0;
    for (Item& item : std::views::reverse(items_)) {
        const std::size_t width = columns(item.text);
        switch (item.kind) {
            case Kind::word:
                frames.back().flat += width;
                tail += width;
                break;
            case Kind::soft_break:
                frames.back().flat += width;
                tail = 0;
                break;
            case Kind::hard_break:
            case Kind::blank_line:
            case Kind::own_comment:
            case Kind::trailing_comment:
                frames.back().never = true;
                tail = 0;
                break;
            case Kind::close:
                tails.push_back(tail);
                frames.push_back({});
                break;
            case Kind::open: {
                const Frame group = frames.back();
                frames.pop_back();
                item.width = group.never ? kNever : std::min(group.flat + tails.back(), kNever);
                tails.pop_back();
                frames.back().flat += group.flat;
                frames.back().never = frames.back().never || group.never;
                break;
            }
            case Kind::indent:
            case Kind::dedent:
                break;
        }
    }
}

std::string Layout::text() {
    measure();
    Lines lines;
    std::size_t indent = 0;
    std::vector<bool> flat{false};
    for (const Item& item : items_) {
        switch (item.kind) {
            case Kind::word:
                lines.write(item.text, indent);
                break;
            case Kind::soft_break:
                if (flat.back()) {
                    lines.write(item.text, indent);
                } else {
                    lines.end_line();
                }
                break;
            case Kind::hard_break:
                lines.end_line();
                break;
            case Kind::blank_line:
                lines.blank_line();
                break;
            case Kind::open:
                flat.push_back(flat.back() || lines.column(indent) + item.width <= kWidth);
                break;
            case Kind::close:
                flat.pop_back();
                break;
            case Kind::indent:
                indent += kIndent;
                break;
            case Kind::dedent:
                indent -= kIndent;
                break;
            case Kind::trailing_comment:
                lines.write("  ", indent);
                lines.write(item.text, indent);
                lines.end_line();
                break;
            case Kind::own_comment:
                lines.end_line();
                lines.write(item.text, indent);
                lines.end_line();
                break;
        }
    }
    return lines.take();
}

}  // namespace jobforge::rules
