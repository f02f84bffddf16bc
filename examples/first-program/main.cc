#include <jobforge/client.h>
#include <jobforge/or_exit.h>
#include <jobforge/worker.h>

int main(int argc, char** argv) {  // first_program TENANT_ID DATABASE_URL
    auto tenant = or_exit(jobforge::Uuid::parse(argc == 3 ? argv[1] : ""));
    const std::string url = argv[2];
    jobforge::Worker worker({.database_url = url});
    worker.on("greet", [&](jobforge::JobContext& context) -> jobforge::Outcome {
        const jobforge::Json* name = context.job().payload.find("name");
        if (name == nullptr) return jobforge::Fail{{"NAME_MISSING", "greet whom?"}};
        worker.request_stop();  // one job is enough here; it still completes
        return jobforge::Done{jobforge::Json::object({{"hello", *name}})};
    });
    or_exit(worker.start());
    auto client = or_exit(jobforge::Client::connect({.database_url = url, .tenant_id = tenant}));
    auto payload = jobforge::Json::object({{"name", "Ada"}});
    auto job = or_exit(client.enqueue({.type = "greet", .payload = payload}));
    worker.wait();
    std::puts(or_exit(client.get(job.job_id)).result.dump().c_str());
}
