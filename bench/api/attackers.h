// The clients that mean harm (http_attack.h), as a process and a session of their own.
//
// In life they run on other machines. Here they share the processors with what is measured, so they
// take only what the server and the clients that behave leave over: what is counted is what the
// server does because of them, not what sending costs them.
#pragma once

#include <memory>
#include <string>

#include "child_process.h"

namespace jobforge::bench {

struct AttackReport {
    int malformed = 0;
    int heavy_rounds = 0;
    double seconds = 0;
};

class Attackers final {
public:
    // Returns when all slow connections are open. `uploader`: an API key whose bodies are read.
    Attackers(int port, const std::string& uploader);
    Attackers(const Attackers&) = delete;
    Attackers& operator=(const Attackers&) = delete;
    ~Attackers();

    // Ends it and says what was sent.
    [[nodiscard]] AttackReport finish();

    // What the process does: main() calls it if is_attacker().
    [[nodiscard]] static bool is_attacker();
    static int main();

private:
    std::unique_ptr<test::ChildProcess> process_;
};

}  // namespace jobforge::bench
