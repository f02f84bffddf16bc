// BUILD_SNAPSHOT: BUILDING -> READY. Ready already is done.
#include "services/jobs/step.h"
#include "services/passport/passport_handlers.h"
#include "statements/snapshots.h"

namespace jobforge::services {

Outcome handle_build_snapshot(JobContext& context) {
    const auto snapshot = uuid_member(context.job().payload, "snapshot_id");
    if (!snapshot.ok()) {
        return Fail{JobError(snapshot.error())};
    }
    Step step(context);
    pg::Params params;
    params.uuid(*snapshot);
    const auto changed = step.call(statements::snapshots::kMarkSnapshotReady, params);
    if (!changed.ok()) {
        return outcome_of(changed.error());
    }
    return Done{Json::object(
        {{"changed", changed->boolean(0, 0)}, {"snapshot_id", snapshot->to_string()}})};
}

}  // namespace jobforge::services
