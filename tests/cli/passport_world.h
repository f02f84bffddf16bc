// A small rule package with facts and a product in a directory, and the program to run over them.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "child_process.h"
#include "temp_dir.h"
#include "test_paths.h"

namespace jobforge::cli {

inline constexpr char kRules[] = R"(fact Battery { sku: Text, capacity_kwh: Dec(3) }

fact PCF { total_gco2e: Dec(0) }

field battery.capacity: Qty(kWh) access(public) =
  let b = requireSome(getFact("Battery", "battery:" + product.sku), "E001", "battery facts are missing");
  toQty("kWh", b.capacity_kwh);

field carbon.footprint: Qty(gCO2e_per_kWh) =
  let p = requireSome(getFact("PCF", "pcf:" + product.sku), "E010", "carbon footprint is missing");
  toQty("gCO2e", p.total_gco2e) / field("battery.capacity");
)";
inline constexpr char kTests[] = R"(example small_pack: {
  fact b("Battery", "battery:SKU-1") = {"sku": "SKU-1", "capacity_kwh": "50.000"};
  fact p("PCF", "pcf:SKU-1") = {"total_gco2e": "3500000"};
} => expect(carbon.footprint, == qty(70000.000000, gCO2e_per_kWh)); ;

property never_negative: cases(500) seed(7) =>
  forall b: Battery("battery:SKU-1"), p: PCF("pcf:SKU-1") .
    implies(b.capacity_kwh >= 0.001 && p.total_gco2e >= 0,
      field("carbon.footprint") >= qty(0.0, gCO2e_per_kWh)); ;
)";

class PassportWorld : public ::testing::Test {
protected:
    std::string write(const std::string& name, const std::string& bytes) {
        const std::string path = home_.path() + "/" + name;
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    std::string path(const std::string& name) { return home_.path() + "/" + name; }
    std::string read(const std::string& name) {
        std::ostringstream text;
        text << std::ifstream(path(name), std::ios::binary).rdbuf();
        return text.str();
    }
    test::Finished run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), JOBFORGE_PROGRAM);
        return test::run(std::move(arguments));
    }
    // The inputs of one passport, beside each other.
    void write_inputs(const std::string& more_rules = {}) {
        write("p.rules", kRules + more_rules);
        write("p.tests", kTests);
        write("product.json", R"({"battery_product_id":"0b6f1a52-7c38-4f0e-9d55-3a1c8be2d701",)"
                              R"("name":"Pack 50","sku":"SKU-1"})");
        write("facts/battery.json", R"({"fact_type":"Battery","fact_key":"battery:SKU-1",)"
                                    R"("payload":{"sku":"SKU-1","capacity_kwh":50.000}})");
        write("facts/pcf.json", R"([{"fact_type":"PCF","fact_key":"pcf:SKU-1",)"
                                R"("payload":{"total_gco2e":3500000}}])");
    }
    std::vector<std::string> inputs() {
        return {"--facts", path("facts"), "--product", path("product.json")};
    }
    test::Finished compile(const std::string& out, const std::string& more_rules = {}) {
        write_inputs(more_rules);
        if (!std::filesystem::exists(path("key"))) {
            EXPECT_EQ(run({"passport", "keygen", "--out", path("key")}).exit_code, 0);
        }
        std::vector<std::string> arguments{
            "passport", "compile",       "--rules",     path("p.rules"),
            "--tests",  path("p.tests"), "--issued-at", "2027-02-18T09:30:00Z",
            "--key",    path("key"),     "--out",       path(out)};
        for (const std::string& argument : inputs()) {
            arguments.push_back(argument);
        }
        return run(std::move(arguments));
    }

    test::TempDir home_;
};

}  // namespace jobforge::cli
