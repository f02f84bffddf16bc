#include "rules/format/format_writer.h"

#include <algorithm>
#include <utility>

namespace jobforge::rules {

std::string_view FormatWriter::peek() const noexcept {
    const Token& next = tokens_.tokens[at_];
    return source_.text().substr(next.begin, next.end - next.begin);
}

std::size_t FormatWriter::line_feeds(std::size_t from, std::size_t to) const noexcept {
    const std::string_view gap = source_.text().substr(from, to - std::min(from, to));
    std::size_t count = 0;
    for (std::size_t i = 0; i < gap.size(); ++i) {
        const bool pair = gap[i] == '\r' && gap.substr(i + 1).starts_with('\n');
        count += kLineEnds.find(gap[i]) != std::string_view::npos && !pair ? 1U : 0U;
    }
    return count;
}

void FormatWriter::token() {
    const Token& next = tokens_.tokens[at_];
    comments_before(next.begin);
    layout_.word(peek());
    last_end_ = next.end;
    at_ = std::min(at_ + 1, tokens_.tokens.size() - 1);
    comments_behind(tokens_.tokens[at_].begin);
}

void FormatWriter::tokens(std::size_t count) {
    for (; count > 0; --count) {
        token();
    }
}

void FormatWriter::skip(std::string_view wanted, bool keep_on_line) {
    if (peek() != wanted) {
        return;
    }
    comments_here();
    last_end_ = tokens_.tokens[at_].end;
    at_ = std::min(at_ + 1, tokens_.tokens.size() - 1);
    if (keep_on_line) {
        comments_behind(tokens_.tokens[at_].begin);
    }
}

void FormatWriter::skip_to(std::size_t offset) {
    last_end_ = offset;
    while (tokens_.tokens[at_].begin < offset) {
        ++at_;
    }
    comments_behind(tokens_.tokens[at_].begin);
}

void FormatWriter::own(std::string text) {
    layout_.word(owned_.emplace_back(std::move(text)));
}

void FormatWriter::comments_here() {
    comments_before(tokens_.tokens[at_].begin);
}

std::string FormatWriter::finish() {
    comments_before(source_.text().size() + 1);
    return layout_.text();
}

// Each on a line of its own, with the empty lines around them that the author left.
void FormatWriter::comments_before(std::size_t offset) {
    bool any = false;
    for (; comment_ < tokens_.comments.size() && tokens_.comments[comment_].begin < offset;
         ++comment_) {
        const Comment& comment = tokens_.comments[comment_];
        if (line_feeds(last_end_, comment.begin) > 1) {
            layout_.blank_line();
        }
        layout_.own_comment(source_.text().substr(comment.begin, comment.end - comment.begin));
        last_end_ = comment.end;
        any = true;
    }
    if (any && line_feeds(last_end_, offset) > 1) {
        layout_.blank_line();
    }
}

// One that stands on the line of the word before it stays there.
void FormatWriter::comments_behind(std::size_t offset) {
    if (comment_ == tokens_.comments.size()) {
        return;
    }
    const Comment& comment = tokens_.comments[comment_];
    if (comment.begin < offset && line_feeds(last_end_, comment.begin) == 0) {
        layout_.trailing_comment(source_.text().substr(comment.begin, comment.end - comment.begin));
        last_end_ = comment.end;
        ++comment_;
    }
}

void FormatWriter::line() {
    std::size_t next = tokens_.tokens[at_].begin;
    if (comment_ < tokens_.comments.size()) {
        next = std::min<std::size_t>(next, tokens_.comments[comment_].begin);
    }
    if (line_feeds(last_end_, next) > 1) {
        layout_.blank_line();
    } else {
        layout_.hard_break();
    }
}

}  // namespace jobforge::rules
