// SPDX-License-Identifier: Apache-2.0
// What tells how a run began is told from what is damaged.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "thalweg/error.hpp"
#include "thalweg/output.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

TEST_CASE("a_damaged_begun_json_is_called_so_whatever_is_wrong_in_it") {
  const auto folder = fs::temp_directory_path() / ("thalweg_begun_" + std::to_string(getpid()));
  fs::create_directories(folder / "journal");
  OutputSettings settings;
  settings.directory = folder.string();
  settings.duration = 7200.0;
  const std::vector<StreamSettings> streams(1);
  const std::string times =
      R"("start_date": "2000-01-01T00:00:00Z", "container": "netcdf4", "interval_s": 3600.0, )"
      R"("start_s": 0.0, "file_interval_s": 0.0, "partitions": 1)";
  const auto begun = [&](const std::string& text) -> std::string {
    std::ofstream(folder / "journal/begun.json", std::ios::trunc) << text;
    try {
      const auto run = find_begun_run(settings, streams);
      return run && run->after ? fmt::format("at {} s", run->after->seconds()) : "no time";
    } catch (const Error& error) {
      CHECK(error.exit_code() == 2);
      return error.what();
    }
  };
  const auto with = [&](const std::string& more) {
    return fmt::format(R"({{"streams": {{"out": {{{}{}}}}}}})", times, more);
  };
  CHECK(begun(with(R"(, "after_ms": 60000, "from": "set")")) == "at 60 s");
  for (const auto& damaged :
       {with(R"(, "after_ms": "60000", "from": "set")"), with(R"(, "after_ms": 6e4)"),
        with(R"(, "after_ms": null)"), with(R"(, "after_ms": 60000, "from": 7)"),
        std::string(R"({"streams": {"out": 7}})"), std::string(R"({"streams": [1]})"),
        std::string(R"([1])"), std::string(R"({"str)")}) {
    CAPTURE(damaged);
    const auto said = begun(damaged);
    INFO(said);
    CHECK(said.find("begun.json' is damaged, which tells how the run began") != std::string::npos);
  }
  fs::remove_all(folder);
}
