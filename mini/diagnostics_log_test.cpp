// SPDX-License-Identifier: Apache-2.0
// Lines that were written stay, whatever is wrong with others.
#include "diagnostics_log.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

using thalweg::mini::DiagnosticsLog;
namespace fs = std::filesystem;

namespace {

struct LogFile {
  fs::path path = fs::temp_directory_path() / ("thalweg_log_" + std::to_string(getpid()));
  ~LogFile() { fs::remove_all(path); }
  std::string text() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

}  // namespace

TEST_CASE("lines_up_to_a_time_stay_though_one_between_them_cannot_be_read") {
  const LogFile file;
  std::ofstream(file.path) << "{\"time_s\":0}\n{\"time_s\":1,\n7\n{\"time_s\":2}\n{\"time_s\":3}";
  DiagnosticsLog log(file.path);
  CHECK(log.keep_until(2.0).find("2 line(s) could not be read") != std::string::npos);
  CHECK(file.text() == "{\"time_s\":0}\n{\"time_s\":2}\n");
  CHECK(log.append({{"time_s", 4}}) == "");
  CHECK(log.keep_until(9.0) == "");
  CHECK(file.text() == "{\"time_s\":0}\n{\"time_s\":2}\n{\"time_s\":4}\n");
  CHECK(log.begin() == "");
  CHECK(file.text().empty());
}

TEST_CASE("a_log_that_cannot_be_read_is_left_as_it_is_and_told") {
  const LogFile file;
  fs::create_symlink(file.path.filename(), file.path);  // leads to itself: not even root can read
  DiagnosticsLog log(file.path);
  CHECK(log.keep_until(9.0).find("cannot be read") != std::string::npos);
  CHECK(fs::is_symlink(file.path));
  CHECK_FALSE(fs::exists(file.path.string() + ".part"));
}

TEST_CASE("of_a_line_that_does_not_fit_nothing_stays") {
  const LogFile file;
  DiagnosticsLog log(file.path);
  REQUIRE(log.begin() == "");
  REQUIRE(log.append({{"time_s", 1}}) == "");
  const auto before = file.text();
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const auto kept = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{before.size() + 5, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto told = log.append({{"time_s", 2}});
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, kept);
  CHECK(told.find("lacks the time 2 s") != std::string::npos);
  CHECK(file.text() == before);
}
