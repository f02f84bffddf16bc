// Writes the words of a source again, in their order: used by format*.cc only.
//
// The words come from the tokens, so that nothing can be lost and every comment stays in its gap;
// who walks the tree beside them says where lines may break. What the layout leaves out (a second
// pair of parentheses, a comma before a closing bracket) is skipped by name.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "rules/format/format_layout.h"
#include "rules/syntax/lexer.h"
#include "rules/syntax/source.h"

namespace jobforge::rules {

class FormatWriter final {
public:
    FormatWriter(const SourceText& source, const Tokens& tokens) noexcept
        : source_(source), tokens_(tokens) {}

    [[nodiscard]] std::string_view peek() const noexcept;
    void token();  // the next word, comments before it included
    void tokens(std::size_t count);
    // Leaves the next word out if it is this one. A comment behind it stays on the line, or not.
    void skip(std::string_view wanted, bool keep_on_line = true);
    // Leaves out the words that begin before `offset`, which were written in another way.
    void skip_to(std::size_t offset);
    void own(std::string text);  // a word that is not in the source
    void comments_here();        // those before the next word
    // A new line; an empty one before it if the author left one here.
    void line();
    // ( items ) or [ items ]: on one line if they fit, else a line each. At the bracket.
    template <typename Items, typename Write>
    void bracketed(const Items& items, std::string_view close, const Write& write_item);

    [[nodiscard]] Layout& layout() noexcept { return layout_; }
    // Everything as text, once all words are written.
    [[nodiscard]] std::string finish();

private:
    void comments_before(std::size_t offset);
    void comments_behind(std::size_t offset);
    [[nodiscard]] std::size_t line_feeds(std::size_t from, std::size_t to) const noexcept;

    const SourceText& source_;
    const Tokens& tokens_;
    Layout layout_;
    std::deque<std::string> owned_;  // stable addresses for words that are not in the source
    std::size_t at_ = 0;
    std::size_t comment_ = 0;
    std::size_t last_end_ = 0;  // of the last word or comment
};

template <typename Items, typename Write>
void FormatWriter::bracketed(const Items& items, std::string_view close, const Write& write_item) {
    layout_.open();
    token();
    layout_.indent();
    layout_.soft_break(false);
    bool first = true;
    for (const auto& item : items) {
        if (!first) {
            token();
            layout_.soft_break();
        }
        first = false;
        write_item(item);
    }
    if (peek() != close) {
        skip(",");
    }
    comments_here();
    layout_.dedent();
    layout_.soft_break(false);
    token();
    layout_.close();
}

}  // namespace jobforge::rules
