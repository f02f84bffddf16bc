// Prometheus's text format, byte for byte.
#include "base/prometheus_text.h"

#include <gtest/gtest.h>

namespace jobforge::engine {
namespace {

TEST(PrometheusText, writes_families_and_samples) {
    PrometheusText out;
    out.family("jobs_total", "counter", "Jobs\\and\nlines \"quoted\".");
    out.sample("jobs_total", {{"type", "a"}, {"status", "DONE"}}, 3);
    out.sample("jobs_total", {}, 0.25);
    EXPECT_EQ(out.take(),
              "# HELP jobs_total Jobs\\\\and\\nlines \"quoted\".\n"
              "# TYPE jobs_total counter\n"
              "jobs_total{type=\"a\",status=\"DONE\"} 3\n"
              "jobs_total 0.25\n");
}

TEST(PrometheusText, escapes_label_values) {
    PrometheusText out;
    out.sample("m", {{"l", "a\"b\\c\nd"}}, 1);
    EXPECT_EQ(out.take(), "m{l=\"a\\\"b\\\\c\\nd\"} 1\n");
}

TEST(PrometheusText, writes_large_counters_exactly) {
    PrometheusText out;
    out.sample("m", {}, 123456789012.0);
    EXPECT_EQ(out.take(), "m 123456789012\n");
}

}  // namespace
}  // namespace jobforge::engine
