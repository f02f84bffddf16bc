// Nobody can change a signed bundle unnoticed: mutations drawn over every byte and every part of a
// real one are all refused. Prints any that is accepted, by the member it is in.
//
// JOBFORGE_MUTATIONS_TO=FILE writes each mutation there, its size in a line before it: the tests of
// tools/verify_bundle.py give them to the second verifier too.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "base/json/canonical.h"
#include "golden_case.h"
#include "passport/bundle_verify.h"

namespace jobforge::passport {
namespace {

class Tampering : public ::testing::Test {
protected:
    const std::string bundle_ = GoldenCase("medium").expected("bundle.json");
    const Json document_ = Json::parse(bundle_).value();
    const Ed25519PublicKey key_ = golden_key().public_key();
    std::size_t tried_ = 0;
    std::map<std::string, std::size_t> accepted_;  // by member

    void try_bytes(const std::string& changed, const std::string& member) {
        if (changed == bundle_) return;
        ++tried_;
        if (const char* file = std::getenv("JOBFORGE_MUTATIONS_TO")) {
            std::ofstream(file, std::ios::app | std::ios::binary) << changed.size() << '\n'
                                                                  << changed;
        }
        if (verify_bundle(changed, key_, VerifyEffort::first_fault).ok()) ++accepted_[member];
    }
    void try_document(const Json& changed, const std::string& member) {
        try_bytes(canonical(changed).value(), member);
    }
    void report(std::size_t at_least) const {
        for (const auto& [member, count] : accepted_) {
            ADD_FAILURE() << count << " mutations of " << member << " were accepted";
        }
        EXPECT_GE(tried_, at_least);
        ::testing::Test::RecordProperty("mutations", static_cast<int>(tried_));
        std::cout << tried_ << " mutations, " << accepted_.size()
                  << " members with accepted ones\n";
    }
    // The top-level member that a byte belongs to.
    [[nodiscard]] std::string member_at(std::size_t offset) const {
        const auto behind = ends_.upper_bound(offset);
        return behind == ends_.end() ? "the braces" : behind->second;
    }

private:
    std::map<std::size_t, std::string> ends_ = [this] {
        std::map<std::size_t, std::string> ends;
        std::size_t end = 1;
        for (const auto& [name, value] : *document_.as_object()) {
            end += name.size() + 3 + canonical(value)->size() + 1;
            ends.emplace(end, name);
        }
        return ends;
    }();
};

TEST_F(Tampering, the_bundle_itself_is_accepted) {
    ASSERT_TRUE(verify_bundle(bundle_, key_).ok());
    ASSERT_EQ(member_at(20), "bundle_version");
    ASSERT_EQ(member_at(bundle_.size() - 2), "snapshot");
}

TEST_F(Tampering, every_byte_flipped_dropped_doubled_and_swapped) {
    std::mt19937 random(11);
    for (std::size_t i = 0; i < bundle_.size(); ++i) {
        const std::string member = member_at(i);
        std::string flipped = bundle_;
        flipped[i] = static_cast<char>(flipped[i] ^ (1 << (random() % 8)));
        try_bytes(flipped, member);
        std::string changed = bundle_;
        switch (i % 4) {
            case 0:
                try_bytes(changed.erase(i, 1), member);
                break;
            case 1:
                try_bytes(changed.insert(i, 1, changed[i]), member);
                break;
            case 2:
                changed[i] = static_cast<char>('a' + random() % 26);
                try_bytes(changed, member);
                break;
            default:
                std::swap(changed[i], changed[random() % changed.size()]);
                try_bytes(changed, member);
        }
    }
    for (const char* tail : {" ", "\n", "{}"}) try_bytes(bundle_ + tail, "the end");
    report(10'000);
}

// --- Edits of the structure, written canonically again ------------------------------------------

using Visit = std::function<void(const Json& changed)>;

// Each way to change one value a little.
void variations_of(const Json& value, const Visit& visit) {
    switch (value.kind()) {
        case Json::Kind::null:
            visit(0);
            break;
        case Json::Kind::boolean:
            visit(!*value.as_bool());
            visit(nullptr);
            break;
        case Json::Kind::number:
            visit(*value.as_int64() + 1);
            visit(std::string(*value.number_text()));
            break;
        case Json::Kind::string:
            visit(*value.as_string() + "0");
            visit(nullptr);
            break;
        default:
            visit(nullptr);
    }
}

// Every single edit of a tree: values changed, members and elements dropped, added, doubled,
// exchanged with the next.
void edits_of(const Json& value, const Visit& visit) {
    variations_of(value, visit);
    if (const auto* object = value.as_object()) {
        for (std::size_t i = 0; i < object->size(); ++i) {
            Json::Object without = *object;
            without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
            visit(without);
            edits_of((*object)[i].second, [&](const Json& changed) {
                Json::Object copy = *object;
                copy[i].second = changed;
                visit(copy);
            });
        }
        Json::Object more = *object;
        more.emplace_back("zz", 1);
        visit(more);
    }
    if (const auto* array = value.as_array()) {
        for (std::size_t i = 0; i < array->size(); ++i) {
            const auto at = static_cast<std::ptrdiff_t>(i);
            Json::Array copy = *array;
            copy.erase(copy.begin() + at);
            visit(copy);
            copy = *array;
            copy.insert(copy.begin() + at, (*array)[i]);
            visit(copy);
            copy = *array;
            std::swap(copy[i], copy[(i + 1) % copy.size()]);
            visit(copy);
            edits_of((*array)[i], [&](const Json& changed) {
                Json::Array other = *array;
                other[i] = changed;
                visit(other);
            });
        }
        Json::Array more = *array;
        more.emplace_back(Json::object());
        visit(more);
    }
}

TEST_F(Tampering, every_member_element_and_value_edited_canonically) {
    for (const auto& [name, value] : *document_.as_object()) {
        edits_of(value, [&, &member = name](const Json& changed) {
            Json copy = document_;
            try_document(copy.set(member, changed), member);
        });
        Json without = document_;
        Json::Object members = *document_.as_object();
        std::erase_if(members, [&](const auto& entry) { return entry.first == name; });
        try_document(members, name);
    }
    for (const char* reserved : {"audit", "inclusion", "head", "comment"}) {
        Json copy = document_;
        try_document(copy.set(reserved, Json::array()), reserved);
    }
    report(1'000);
}

// --- A forger who computes the proof's hashes again ---------------------------------------------

Json rehashed(const Json& proof) {
    Json::Array nodes = *proof.find("nodes")->as_array();
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        nodes[id].set("id", static_cast<std::uint64_t>(id));
        Json hashes = Json::array();
        for (const Json& child : *nodes[id].find("children")->as_array()) {
            hashes.push_back(*nodes.at(static_cast<std::size_t>(*child.as_int64())).find("hash"));
        }
        const Json covered = Json::object({{"children_hashes", hashes},
                                           {"data", *nodes[id].find("data")},
                                           {"id", *nodes[id].find("id")},
                                           {"type", *nodes[id].find("type")}});
        nodes[id].set("hash", sha256_hex(canonical(covered).value()));
    }
    Json copy = proof;
    const Json root = *nodes.back().find("hash");
    return copy.set("nodes", nodes).set("root_hash", root);
}

TEST_F(Tampering, nodes_edited_with_their_hashes_computed_again) {
    const Json& proof = *document_.find("proof");
    const Json::Array& nodes = *proof.find("nodes")->as_array();
    const auto attempt = [&](const Json::Array& changed) {
        Json forged = proof;
        Json copy = document_;
        try_document(copy.set("proof", rehashed(forged.set("nodes", changed))), "proof");
    };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        edits_of(*nodes[i].find("data"), [&](const Json& data) {
            Json::Array changed = nodes;
            changed[i].set("data", data);
            attempt(changed);
        });
        const Json::Array& children = *nodes[i].find("children")->as_array();
        for (std::size_t child = 0; child < children.size(); ++child) {
            for (std::size_t other = 0; other < i; ++other) {
                Json::Array edges = children;
                edges[child] = static_cast<std::uint64_t>(other);
                Json::Array changed = nodes;
                changed[i].set("children", edges);
                attempt(changed);
            }
        }
        Json::Array doubled = nodes;
        doubled.insert(doubled.begin() + static_cast<std::ptrdiff_t>(i) + 1, nodes[i]);
        attempt(doubled);
    }
    report(1'000);
}

}  // namespace
}  // namespace jobforge::passport
