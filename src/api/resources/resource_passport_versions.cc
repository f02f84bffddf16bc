// /v1/passport-versions: the compiled documents, their signatures and images, and what may be done.
#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "services/passport/passports.h"
#include "services/passport/stored_passport.h"
#include "statements/passport.h"

namespace jobforge::api {

namespace {

using engine::Repeat;
using services::Permission;

constexpr std::string_view kId = "passport_version_id";

enum Artifact : int { kPayload, kProof, kReceipt, kQrPng };

Result<http::Response> list(RequestContext& context) {
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    services::VersionFilter filter;
    filter.limit = page.rows_to_ask();
    filter.before = page.before_id(query);
    filter.passport_id = query.opt_uuid("passport_id");
    filter.status = query.opt_text("status");
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_page(services::list_passport_versions(*context.calls, filter), page, kId);
}

Result<http::Response> get(RequestContext& context) {
    const auto id = context.id(kId);
    return id.ok() ? answer_object(services::get_passport_version(*context.calls, *id))
                   : Result<http::Response>(id.error());
}

// Documents never change once they are there, so that a client may keep them for ever.
Result<http::Response> artifact(RequestContext& context, Artifact which, std::string content_type) {
    const auto id = context.id(kId);
    if (!id.ok()) {
        return id.error();
    }
    pg::Params params;
    params.uuid(*id);
    const auto rows = context.calls->run_one(statements::passport::kApiPassportArtifacts,
                                             std::move(params), Repeat::always);
    if (!rows.ok()) {
        return rows.error();
    }
    if (rows->is_null(0, which)) {
        Error error = Error::of(ErrorCode::INVALID_PASSPORT_STATUS,
                                "this passport version has no such document yet");
        error.hint = "Its jobs make it: COMPILE_PASSPORT, SIGN_PASSPORT, GENERATE_QR.";
        return error;
    }
    return immutable_response(context.request, std::string(rows->text(0, which)),
                              std::move(content_type));
}

Result<http::Response> payload(RequestContext& context) {
    return artifact(context, kPayload, "application/json");
}

Result<http::Response> proof(RequestContext& context) {
    return artifact(context, kProof, "application/json");
}

Result<http::Response> receipt(RequestContext& context) {
    return artifact(context, kReceipt, "application/json");
}

Result<http::Response> qr_png(RequestContext& context) {
    return artifact(context, kQrPng, "image/png");
}

Result<http::Response> bundle(RequestContext& context) {
    const auto id = context.id(kId);
    if (!id.ok()) {
        return id.error();
    }
    const auto record = services::load_passport(*context.calls, *id);
    if (!record.ok()) {
        return record.error();
    }
    auto bytes = services::bundle_of(*record);
    if (!bytes.ok()) {
        return std::move(bytes).error();
    }
    return immutable_response(context.request, *std::move(bytes), "application/json");
}

// {"accept": [{"id", "reason"}]}
std::vector<services::Acceptance> acceptances(BodyFields& body) {
    std::vector<services::Acceptance> accepted;
    const Json* list = body.json("accept");
    if (list == nullptr || list->is_null()) {
        return accepted;
    }
    if (!list->is_array()) {
        body.refuse("accept", "must be a list");
        return accepted;
    }
    for (const Json& item : *list->as_array()) {
        BodyFields members(item);
        accepted.push_back({members.text("id"), members.text("reason")});
        if (!item.is_object() || !members.finish().ok()) {
            body.refuse("accept", "must have objects with the texts id and reason");
            break;
        }
    }
    return accepted;
}

Result<http::Response> activate(RequestContext& context) {
    const auto id = context.id(kId);
    BodyFields body(context.body);
    const auto accepted = acceptances(body);
    const Status read = body.finish();
    if (!id.ok() || !read.ok()) {
        return id.ok() ? read.error() : id.error();
    }
    const auto superseded =
        services::activate_passport_version(*context.calls, *id, context.actor(), accepted);
    if (!superseded.ok()) {
        return superseded.error();
    }
    Json answer = Json::object({{kId.data(), id->to_string()}, {"status", "ACTIVE"}});
    answer.set("superseded", *superseded ? Json((*superseded)->to_string()) : Json());
    return json_response(answer.dump());
}

Result<http::Response> revoke(RequestContext& context) {
    const auto id = context.id(kId);
    BodyFields body(context.body);
    const std::string reason = body.text("reason");
    const Status read = body.finish();
    if (!id.ok() || !read.ok()) {
        return id.ok() ? read.error() : id.error();
    }
    return answer_done(
        services::revoke_passport_version(*context.calls, *id, reason, context.actor()));
}

// Compiles it again from stored rows and compares every byte: changes nothing.
Result<http::Response> replay(RequestContext& context) {
    const auto id = context.id(kId);
    if (!id.ok()) {
        return id.error();
    }
    const auto record = services::load_passport(*context.calls, *id);
    if (!record.ok()) {
        return record.error();
    }
    if (auto same = services::replay_record(*record); !same.ok()) {
        return std::move(same).error();
    }
    return json_response(R"({"replayed":true})");
}

Result<http::Response> signing_keys(RequestContext& context) {
    return answer_list(services::list_signing_keys(*context.calls));
}

}  // namespace

std::span<const Route> passport_version_routes() {
    static constexpr Route kRoutes[] = {
        {"GET", "/v1/passport-versions", Permission::passport_read, Work::read, &list},
        {"GET", "/v1/passport-versions/{passport_version_id}", Permission::passport_read,
         Work::read, &get},
        {"GET", "/v1/passport-versions/{passport_version_id}/payload", Permission::passport_read,
         Work::read, &payload},
        {"GET", "/v1/passport-versions/{passport_version_id}/proof", Permission::passport_read,
         Work::read, &proof},
        {"GET", "/v1/passport-versions/{passport_version_id}/receipt", Permission::passport_read,
         Work::read, &receipt},
        {"GET", "/v1/passport-versions/{passport_version_id}/qr.png", Permission::passport_read,
         Work::read, &qr_png},
        {"GET", "/v1/passport-versions/{passport_version_id}/bundle", Permission::passport_read,
         Work::read, &bundle},
        {"POST", "/v1/passport-versions/{passport_version_id}/activate", Permission::passport_sign,
         Work::change, &activate, kSmallBody},
        {"POST", "/v1/passport-versions/{passport_version_id}/revoke", Permission::passport_revoke,
         Work::change, &revoke, kSmallBody},
        {"POST", "/v1/passport-versions/{passport_version_id}/replay", Permission::passport_replay,
         Work::read, &replay, kSmallBody},
        {"GET", "/v1/signing-keys", Permission::passport_read, Work::read, &signing_keys},
    };
    return kRoutes;
}

}  // namespace jobforge::api
