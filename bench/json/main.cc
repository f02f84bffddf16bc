// How fast JSON is read and written, beside simdjson (its DOM) and nlohmann/json in the same run.
//
// The candidates take turns and each number is a median, so that a machine that gets slower in
// between is slow for all; the ratios say more than the megabytes. Time is the processor time of
// this one thread, so that other programs on the machine do not count. Reading is timed without
// destroying what was read, as simdjson's own benchmark does (simdjson keeps its memory for the
// next document); a second line adds what destroying costs us and nlohmann.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <jobforge/json.h>
#include <simdjson.h>
#include <nlohmann/json.hpp>

#include "base/crypto/hash.h"
#include "base/json/canonical.h"
#include "base/json/json_check.h"
#include "json/document.h"

namespace jobforge::bench {
namespace {

struct Candidate {
    const char* name;
    std::function<double()> seconds;  // of one turn
};

[[noreturn]] void die(const std::string& message) {
    std::fputs(("json bench: " + message + "\n").c_str(), stderr);
    std::exit(1);
}

void require(bool holds, const char* what) {
    if (!holds) {
        die(what);
    }
}

double processor_seconds() {
    timespec time{};
    require(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0, "there is no thread clock");
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

template <typename Work>
double timed(Work work) {
    const double start = processor_seconds();
    work();
    return processor_seconds() - start;
}

// Prints the first candidate's rate and its ratio to each of the others.
void compare(const std::string& title, std::size_t bytes, int turns,
             const std::vector<Candidate>& candidates) {
    std::vector<std::vector<double>> seconds(candidates.size());
    for (int turn = 0; turn < turns; ++turn) {
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            seconds[i].push_back(candidates[i].seconds());
        }
    }
    const auto rate = [&](std::size_t i) {
        auto& all = seconds[i];
        std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
        return static_cast<double>(bytes) / 1e6 / all[all.size() / 2];
    };
    const double ours = rate(0);
    std::string line = fmt::format("{:<40} {:>6.0f} MB/s", title, ours);
    for (std::size_t i = 1; i < candidates.size(); ++i) {
        const double other = rate(i);
        line += fmt::format("   {} {:>6.0f} MB/s, ratio {:.2f}", candidates[i].name, other,
                            ours / other);
    }
    std::puts(line.c_str());
}

void reading(const std::string& title, const std::string& text, int turns) {
    const simdjson::padded_string padded(text);
    simdjson::dom::parser parser;
    compare("parse, " + title, text.size(), turns,
            {{"jobforge",
              [&] {
                  std::optional<Result<Json>> parsed;
                  const double took = timed([&] { parsed.emplace(Json::parse(text)); });
                  require(parsed->ok(), "the document does not parse");
                  return took;
              }},
             {"simdjson",
              [&] {
                  return timed([&] {
                      require(parser.parse(padded).error() == simdjson::SUCCESS, "simdjson failed");
                  });
              }},
             {"nlohmann", [&] {
                  std::optional<nlohmann::json> parsed;
                  return timed([&] { parsed.emplace(nlohmann::json::parse(text)); });
              }}});
    compare("parse and destroy, " + title, text.size(), turns,
            {{"jobforge", [&] { return timed([&] { require(Json::parse(text).ok(), "parse"); }); }},
             {"simdjson",
              [&] {
                  return timed([&] {
                      require(parser.parse(padded).error() == simdjson::SUCCESS, "simdjson failed");
                  });
              }},
             {"nlohmann", [&] {
                  return timed(
                      [&] { require(nlohmann::json::parse(text).is_array(), "nlohmann failed"); });
              }}});
}

void checking(const std::string& text, int turns) {
    compare("check (grammar only)", text.size(), turns,
            {{"jobforge",
              [&] { return timed([&] { require(check_json(text).ok(), "check failed"); }); }}});
}

void writing(const std::string& text, int turns) {
    const Result<Json> ours = Json::parse(text);
    require(ours.ok(), "the document does not parse");
    simdjson::dom::parser parser;
    const simdjson::padded_string padded(text);
    const simdjson::dom::element simd = parser.parse(padded);
    const nlohmann::json theirs = nlohmann::json::parse(text);
    const std::string bytes = *canonical(*ours);
    require(bytes == theirs.dump(), "nlohmann sorts ASCII keys as we do, yet the bytes differ");
    const auto time_of = [](auto write) {
        return timed([&] { require(!write().empty(), "nothing was written"); });
    };
    const std::vector<Candidate> others = {
        {"simdjson", [&] { return time_of([&] { return simdjson::to_string(simd); }); }},
        {"nlohmann", [&] { return time_of([&] { return theirs.dump(); }); }}};
    const auto with = [&others](std::function<double()> first) {
        std::vector<Candidate> all = {{"jobforge", std::move(first)}};
        all.insert(all.end(), others.begin(), others.end());
        return all;
    };
    compare("write canonical", bytes.size(), turns,
            with([&] { return time_of([&] { return *canonical(*ours); }); }));
    compare("write as stored (dump)", bytes.size(), turns,
            with([&] { return time_of([&] { return ours->dump(); }); }));
    compare("hash (SHA-256 of canonical bytes)", bytes.size(), turns,
            {{"jobforge", [&] { return time_of([&] { return sha256_hex(bytes); }); }}});
}

int run(std::size_t megabytes, int turns) {
    const std::size_t bytes = megabytes * 1'000'000;
    fmt::print("{} MB document, medians of {} turns, one core, simdjson {}.{}.{} ({})\n", megabytes,
               turns, simdjson::SIMDJSON_VERSION_MAJOR, simdjson::SIMDJSON_VERSION_MINOR,
               simdjson::SIMDJSON_VERSION_REVISION, simdjson::get_active_implementation()->name());
    const std::string compact = make_document({.bytes = bytes, .fractions = true});
    reading("compact", compact, turns);
    reading("indented", make_document({.bytes = bytes, .fractions = true, .indented = true}),
            turns);
    checking(compact, turns);
    writing(make_document({.bytes = bytes}), turns);
    return 0;
}

}  // namespace
}  // namespace jobforge::bench

int main(int argc, char** argv) {
    std::size_t megabytes = 10;
    int turns = 21;
    for (int i = 1; i < argc; i += 2) {
        const std::string option = argv[i];
        const int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
        if (option == "--megabytes" && value > 0) {
            megabytes = static_cast<std::size_t>(value);
        } else if (option == "--turns" && value > 0) {
            turns = value;
        } else {
            jobforge::bench::die("usage: jobforge_json_bench [--megabytes N] [--turns N]");
        }
    }
    return jobforge::bench::run(megabytes, turns);
}
