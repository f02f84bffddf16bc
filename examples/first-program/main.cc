#include <cstdio>
#include <cstdlib>

#include <jobforge/client.h>
#include <jobforge/worker.h>

static int give_up(const jobforge::Error& error) {
    std::fprintf(stderr, "%s\n", error.describe().c_str());
    return 1;
}

int main(int argc, char** argv) {  // DATABASE_URL=... first_program TENANT_ID
    const char* url = std::getenv("DATABASE_URL");
    auto tenant = jobforge::Uuid::parse(argc > 1 ? argv[1] : "");
    if (!tenant) return give_up(tenant.error());

    jobforge::Worker worker({.database_url = url != nullptr ? url : ""});
    worker.on("greet", [&](jobforge::JobContext& context) -> jobforge::Outcome {
        const jobforge::Json* name = context.job().payload.find("name");
        if (name == nullptr) return jobforge::Fail{{"NAME_MISSING", "greet whom?"}};
        worker.request_stop();  // one job is enough here; it still completes
        return jobforge::Done{jobforge::Json::object({{"hello", *name}})};
    });
    if (auto started = worker.start(); !started) return give_up(started.error());

    auto client = jobforge::Client::connect({.database_url = url, .tenant_id = *tenant});
    if (!client) return give_up(client.error());
    auto payload = jobforge::Json::object({{"name", "Ada"}});
    auto job = client->enqueue({.type = "greet", .payload = payload});
    if (!job) return give_up(job.error());

    worker.wait();
    auto finished = client->get(job->job_id);
    if (!finished) return give_up(finished.error());
    std::printf("%s %s\n", finished->status.c_str(), finished->result.dump().c_str());
}
