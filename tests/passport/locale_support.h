// Locales for tests, whether the machine has them installed or not.
#pragma once

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <unistd.h>

namespace jobforge::passport {

// Sets locales of this process and gives the old state back at the end. A locale that is not
// installed is compiled from its source, once, into a directory of our own (localedef, of the
// Debian package `locales`). One at a time, and no other threads meanwhile: locales are the
// process's.
class LocaleChanger final {
public:
    LocaleChanger() = default;
    LocaleChanger(const LocaleChanger&) = delete;
    LocaleChanger& operator=(const LocaleChanger&) = delete;
    ~LocaleChanger() {
        (void)set("C");
        use_path(before_);
    }

    // False if it can neither be found nor compiled. source: "tr_TR".
    [[nodiscard]] bool set_utf8(const std::string& source) {
        static std::map<std::string, bool> compiled;
        const std::string name = source + ".UTF-8";
        use_path(before_);
        if (!compiled.contains(source)) {
            compiled[source] = !set(name);
            if (compiled[source]) compile(source, name);
        }
        if (compiled[source]) use_path(own_directory().path);
        return set(name);
    }
    [[nodiscard]] static bool set(const std::string& name) {
        return std::setlocale(LC_ALL, name.c_str()) != nullptr;
    }

private:
    struct Directory {
        std::string path = std::filesystem::temp_directory_path() /
                           ("jobforge-locales-" + std::to_string(::getpid()));
        Directory() { std::filesystem::create_directories(path); }
        Directory(const Directory&) = delete;
        Directory& operator=(const Directory&) = delete;
        ~Directory() {
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        }
    };
    static const Directory& own_directory() {
        static const Directory directory;
        return directory;
    }

    // Before the first setlocale that looks there: glibc remembers what it did not find. Exit code
    // 1 stands for warnings too; whether setlocale takes it decides.
    static void compile(const std::string& source, const std::string& name) {
        const std::string command = "localedef --no-archive -i " + source + " -f UTF-8 '" +
                                    own_directory().path + "/" + name + "' 2>/dev/null";
        (void)!std::system(command.c_str());  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
    }

    // NOLINTBEGIN(concurrency-mt-unsafe)
    static std::optional<std::string> path_now() {
        const char* path = std::getenv("LOCPATH");
        return path == nullptr ? std::nullopt : std::optional<std::string>(path);
    }
    static void use_path(const std::optional<std::string>& path) {
        (void)(path ? ::setenv("LOCPATH", path->c_str(), 1) : ::unsetenv("LOCPATH"));
    }
    // NOLINTEND(concurrency-mt-unsafe)

    std::optional<std::string> before_ = path_now();
};

}  // namespace jobforge::passport
