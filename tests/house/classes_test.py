#!/usr/bin/env python3
"""Classes have at most 25 methods; and the check sees it when they do not."""
import unittest
import unittest.mock

import classes
import house

SAMPLE = """
// class Comment { void no(); };
class Pool final : public Base {
public:
    explicit Pool(Options options);
    ~Pool();
    Pool& operator=(const Pool&) = delete;
    [[nodiscard]] bool empty() const noexcept { return count() == 0; }
    Result<std::map<int, int>> acquire(std::function<void(int)> done = {});
    friend void swap(Pool& a, Pool& b);
    struct Inner {
        void inner();
    };
private:
    static constexpr int kMost = most(3);
    std::function<void(bool)> done_;
    int count_ = 0;
};
"""


class ClassesTest(unittest.TestCase):
    def test_the_classes_of_this_house_are_small(self) -> None:
        self.assertEqual(classes.violations(classes.count(house.ROOT)), [])

    def test_methods_are_counted_and_nothing_else_is(self) -> None:
        self.assertEqual(classes.methods_of(SAMPLE), {"Pool": ["empty", "acquire"], "Inner": ["inner"]})

    def test_a_large_class_is_refused(self) -> None:
        text = "class Big {\n" + "".join(f"    void f{i}();\n" for i in range(26)) + "};\n"
        counts = {name: len(methods) for name, methods in classes.methods_of(text).items()}
        with unittest.mock.patch.object(classes, "LARGE_CLASSES", {}):
            self.assertIn("Big has 26 methods", classes.violations(counts)[0])
            self.assertEqual(classes.violations({"Big": 25}), [])

    def test_an_exception_only_shrinks(self) -> None:
        with unittest.mock.patch.object(classes, "LARGE_CLASSES", {"Big": (30, "why")}):
            self.assertEqual(classes.violations({"Big": 30}), [])
            self.assertIn("over 30", classes.violations({"Big": 31})[0])
            self.assertIn("lower its number", classes.violations({"Big": 29})[0])
            self.assertIn("take it out", classes.violations({})[0])

    def test_every_exception_has_a_reason(self) -> None:
        for name, (_, reason) in classes.LARGE_CLASSES.items():
            self.assertGreater(len(reason), 10, name)


if __name__ == "__main__":
    unittest.main()
