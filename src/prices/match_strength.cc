#include "prices/match_strength.h"

#include <algorithm>

#include <fmt/format.h>

#include "prices/denominations.h"
#include "prices/words.h"
#include "values/unicode.h"

namespace jobforge::services {

namespace {

constexpr std::size_t kShortWord = 3;

std::size_t letters_in(std::string_view word) {
    std::size_t count = 0;
    for (; !word.empty(); ++count) {
        (void)unicode::take(word);
    }
    return count;
}

class Tally final {
public:
    void add(bool matched) noexcept {
        ++total_;
        matched_ += matched ? 1 : 0;
    }
    [[nodiscard]] std::int64_t strength() const noexcept {
        return total_ == 0 ? kFullMatch / 2 : (matched_ * kFullMatch * 2 + total_) / (total_ * 2);
    }

private:
    std::int64_t matched_ = 0;
    std::int64_t total_ = 0;
};

}  // namespace

std::int64_t match_strength(const Intake& intake, std::string_view title) {
    const Words words = words_of(title);
    const auto has = [&words](const std::string& word) {
        return std::find(words.begin(), words.end(), word) != words.end();
    };
    const std::string year = intake.year ? fmt::format("{}", *intake.year) : std::string();
    const Words mintmark = words_of(intake.mintmark);
    const bool attached = !year.empty() && mintmark.size() == 1 && has(year + mintmark.front());
    Tally tally;
    if (!year.empty()) {
        tally.add(attached || has(year));
    }
    if (!mintmark.empty()) {
        tally.add(attached || contains_phrase(words, mintmark));
    }
    if (!words_of(intake.denomination).empty()) {
        tally.add(names_denomination(words, intake.denomination));
    }
    for (const std::string& word : words_of(intake.series)) {
        if (letters_in(word) > kShortWord) {
            tally.add(has(word));
        }
    }
    return tally.strength();
}

std::string strength_text(std::int64_t strength) {
    return fmt::format("{}.{:05}", strength / kFullMatch, strength % kFullMatch);
}

}  // namespace jobforge::services
