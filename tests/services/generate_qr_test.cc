// GENERATE_QR: what the code of a SIGNED version says, and its picture, read back by zbar.
#include <png.h>
#include <zbar.h>

#include <regex>

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/text/base32.h"
#include "handler_world.h"
#include "services/passport/passports.h"
#include "services/passport/stored_passport.h"

namespace jobforge::services {
namespace {

constexpr char kNobody[] = "00000000-0000-4000-8000-000000000000";

// Every text that zbar sees in a PNG.
std::vector<std::string> scanned(const std::string& png) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    EXPECT_NE(png_image_begin_read_from_memory(&image, png.data(), png.size()), 0) << image.message;
    image.format = PNG_FORMAT_GRAY;
    std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
    EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0);
    zbar::ImageScanner scanner;
    zbar::Image picture(image.width, image.height, "Y800", pixels.data(), pixels.size());
    scanner.scan(picture);
    std::vector<std::string> texts;
    for (auto symbol = picture.symbol_begin(); symbol != picture.symbol_end(); ++symbol) {
        texts.push_back(symbol->get_data());
    }
    picture.set_data(nullptr, 0);
    return texts;
}

class GenerateQr : public test::HandlerWorld {
protected:
    std::string payload(const std::string& id) {
        return fmt::format(R"({{"passport_version_id":"{}"}})", id);
    }
    std::string with_qr() {
        std::string id = signed_version();
        EXPECT_EQ(end_of(job_with_key("qr-" + id)), "SUCCEEDED");
        return id;
    }
    std::string png(const std::string& id) {
        return hex_decode(version(id, "encode(qr_png, 'hex')")).value();
    }
    // What leads to `page`, with the hashes of a version.
    std::string link(const std::string& page, const std::string& id) {
        return fmt::format("https://passports.example/p/{}#ph={}&pr={}&rh={}", page,
                           base32(id, "payload_hash"), base32(id, "proof_root_hash"),
                           base32(id, "receipt_hash"));
    }
    std::string replayed(const std::string& id) {
        const auto record = load_passport(*calls_, *Uuid::parse(id));
        const Status same = record.ok() ? replay_record(*record) : Status(record.error());
        return same.ok() ? "the same" : same.error().describe();
    }
    // A stored hash in the code's base32.
    std::string base32(const std::string& id, const std::string& column) {
        return base32_encode(
            hex_decode(version(id, fmt::format("encode({}, 'hex')", column))).value());
    }
};

TEST_F(GenerateQr, a_signed_version_gets_a_code_that_a_scanner_reads_and_stays_signed) {
    const std::string id = with_qr();
    const std::string text = version(id, "qr_payload");
    EXPECT_EQ(text, fmt::format("BPC1|pv={}|ph={}|pr={}|rh={}", id, base32(id, "payload_hash"),
                                base32(id, "proof_root_hash"), base32(id, "receipt_hash")));
    EXPECT_EQ(text.size(), 212U);
    // Lower or upper case, the letters are RFC 4648's, without padding.
    EXPECT_TRUE(std::regex_match(
        text, std::regex("BPC1\\|pv=[0-9a-f-]{36}(\\|(ph|pr|rh)=([a-z2-7]{52}|[A-Z2-7]{52})){3}")))
        << text;
    EXPECT_EQ(text.find('=', text.find("|rh=") + 4), std::string::npos) << "no padding";
    EXPECT_EQ(scanned(png(id)), std::vector{text});
    EXPECT_EQ(version(id, "status"), "SIGNED");
}

TEST_F(GenerateQr, logs_one_event_however_often_it_runs_also_when_the_version_is_active) {
    const std::string id = with_qr();
    EXPECT_EQ(events_of(id), "PASSPORT_COMPILED PASSPORT_SIGNED QR_GENERATED");
    EXPECT_EQ(event_payload(id, "QR_GENERATED"),
              fmt::format(R"({{"qr_payload":"{}"}})", version(id, "qr_payload")));
    const std::string before = stored();
    EXPECT_EQ(ends("GENERATE_QR", payload(id)), "SUCCEEDED");
    EXPECT_EQ(stored(), before);
    test::must(activate_passport_version(*calls_, *Uuid::parse(id), ""));
    EXPECT_EQ(ends("GENERATE_QR", payload(id)), "SUCCEEDED");
    EXPECT_EQ(events_of(id), "PASSPORT_COMPILED PASSPORT_SIGNED QR_GENERATED PASSPORT_ACTIVATED");
}

TEST_F(GenerateQr, with_a_base_url_a_phone_opens_the_public_page_of_the_passport) {
    settings_.qr_base_url = "https://passports.example/";
    const std::string id = with_qr();
    const std::string text = link(version(id, "passport_id"), id);
    EXPECT_EQ(version(id, "qr_payload"), text);
    EXPECT_EQ(scanned(png(id)), std::vector{text});
    EXPECT_EQ(replayed(id), "the same");
}

TEST_F(GenerateQr, a_link_to_the_version_that_an_earlier_release_made_stays_and_replays) {
    settings_.qr_base_url = "https://passports.example";
    hold("GENERATE_QR");
    const std::string id = signed_version();
    const std::string old = link(id, id);
    run("select jobforge.store_qr('" + id + "', '" + old + "', '\\x89')");
    release("GENERATE_QR");
    EXPECT_EQ(end_of(job_with_key("qr-" + id)), "SUCCEEDED");
    EXPECT_EQ(version(id, "qr_payload"), old);
    EXPECT_EQ(replayed(id), "the same");
}

TEST_F(GenerateQr, another_code_for_the_same_version_is_refused) {
    const std::string id = with_qr();
    const std::string before = version(id, "qr_payload") + stored();
    stop();
    settings_.qr_base_url = "https://elsewhere.example";
    EXPECT_EQ(ends("GENERATE_QR", payload(id)), "FAILED INVALID_PASSPORT_STATUS");
    EXPECT_EQ(version(id, "qr_payload") + stored(), before);
}

TEST_F(GenerateQr, a_version_that_is_not_signed_or_was_revoked_gets_none) {
    hold("SIGN_PASSPORT");
    const std::string compiling = compiled_version();
    EXPECT_EQ(ends("GENERATE_QR", payload(compiling)), "FAILED INVALID_PASSPORT_STATUS");
    EXPECT_EQ(version(compiling, "status || ' ' || (qr_png is null)"), "COMPILING true");
    EXPECT_EQ(events_of(compiling), "PASSPORT_COMPILED");
    hold("GENERATE_QR");
    release("SIGN_PASSPORT");
    EXPECT_EQ(end_of(job_with_key("sign-" + compiling)), "SUCCEEDED");
    test::must(revoke_passport_version(*calls_, *Uuid::parse(compiling), "recalled", ""));
    release("GENERATE_QR");
    EXPECT_EQ(end_of(job_with_key("qr-" + compiling)), "FAILED INVALID_PASSPORT_STATUS");
    EXPECT_EQ(version(compiling, "qr_payload is null and qr_png is null"), "true");
}

TEST_F(GenerateQr, payloads_that_do_not_fit_and_unknown_ids_fail_at_once) {
    const std::string before = stored();
    for (const char* garbage : {"{}", R"({"passport_version_id":null})",
                                R"({"passport_version_id":"x"})", R"({"passport_version_id":1})"}) {
        EXPECT_EQ(ends("GENERATE_QR", garbage), "FAILED JOB_PAYLOAD_INVALID") << garbage;
    }
    EXPECT_EQ(ends("GENERATE_QR", payload(kNobody)), "FAILED NOT_FOUND");
    EXPECT_EQ(stored(), before);
}

}  // namespace
}  // namespace jobforge::services
