// SPDX-License-Identifier: Apache-2.0
// The list of all checksums is whole, and memory does not grow with its blocks.
#include "thalweg/checksums.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "all_ranks.hpp"
#include "base/crc32.hpp"
#include "file/aside_file.hpp"
#include "file/checksum_list.hpp"
#include "file/checksum_log.hpp"
#include "memory_use.hpp"

using namespace thalweg;

namespace {

using Json = nlohmann::ordered_json;
constexpr int block_bytes = 16;

std::vector<std::byte> some_block(int number) {
  std::vector<std::byte> bytes(block_bytes);
  for (int i = 0; i < block_bytes; ++i) bytes[i] = static_cast<std::byte>(number * 31 + i * 7);
  return bytes;
}

// Blocks of all ranks in turn, the last of the file first: no two of them are joined. Every
// hundred they are taken for a journal, as after each time of output.
void write_blocks(const std::string& path, int blocks) {
  const auto open = world_rank() == 0 ? AsideFile::Open::create : AsideFile::Open::existing;
  if (world_rank() != 0) MPI_Barrier(MPI_COMM_WORLD);
  AsideFile file(path, open);
  if (world_rank() == 0) MPI_Barrier(MPI_COMM_WORLD);
  int since = 0;
  for (int number = blocks - 1; number >= 0; --number) {
    if (number % world_size() != world_rank()) continue;
    file.write(some_block(number).data(), block_bytes, std::int64_t{number} * block_bytes);
    if (++since % 100 == 0) CHECK(take_new_written(path).at(path).size() == 100);
  }
  file.close();
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == 0) rename_to_final(path);
  MPI_Barrier(MPI_COMM_WORLD);
}

std::vector<Json> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
  return lines;
}

}  // namespace

TEST_CASE("memory_for_checksums_does_not_grow_with_the_number_of_blocks") {
  constexpr int blocks = 200'000;
  const SharedDirectory directory;
  std::filesystem::create_directories(directory.path + "/files");
  collect_checksums(directory.path);
  write_blocks(directory.path + "/files/a.raw", blocks / 10);
  const auto before = memory_use("self", "RssAnon:");
  write_blocks(directory.path + "/files/b.raw", blocks);
  constexpr std::int64_t most_kept = 1 << 20, most_at_the_end = 20 << 20;
  CHECK(memory_use("self", "RssAnon:") - before < most_kept);
  forget_most_memory();
  const auto at_the_end = memory_use("self", "VmHWM:");
  write_checksums(MPI_COMM_WORLD, directory.path);
  CHECK(memory_use("self", "VmHWM:") - at_the_end < most_at_the_end);
  if (world_rank() != 0) return;
  const auto lines = lines_of(directory.path + "/checksums.jsonl");
  REQUIRE(lines.size() == 3);
  CHECK(lines[1]["file"] == "files/b.raw");
  CHECK(lines[1]["bytes"] == blocks * block_bytes);
  REQUIRE(lines[1]["blocks"].size() == blocks);
  int wrong = 0;
  for (int number = 0; number < blocks; ++number) {
    const auto sum = fmt::format("{:08x}", crc32(0, some_block(number)));
    wrong += lines[1]["blocks"][number] == Json{number * block_bytes, block_bytes, sum} ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("memory_for_checksums_does_not_grow_with_the_number_of_files") {
  constexpr int arrays = 20, files = 1000;
  const SharedDirectory directory;
  if (world_rank() == 0) {
    const auto first = directory.path + "/first";  // names of one file are made in less time
    std::ofstream(first) << "values";
    for (int array = 0; array < arrays; ++array) {
      const auto place = fmt::format("{}/files/a.zarr/field_{}/c", directory.path, array);
      std::filesystem::create_directories(place);
      for (int file = 0; file < files; ++file) {
        std::error_code refused;
        std::filesystem::create_hard_link(first, fmt::format("{}/{}", place, file), refused);
        if (refused) std::ofstream(fmt::format("{}/{}", place, file)) << "values";
      }
    }
  }
  collect_checksums(directory.path);
  MPI_Barrier(MPI_COMM_WORLD);
  forget_most_memory();
  const auto before = memory_use("self", "VmHWM:");
  write_checksums(MPI_COMM_WORLD, directory.path);
  constexpr std::int64_t most = 4 << 20;  // the names of all files are 2 MB, as paths 12 MB
  CHECK(memory_use("self", "VmHWM:") - before < most);
  if (world_rank() == 0)
    CHECK(lines_of(directory.path + "/checksums.jsonl").size() == arrays * files + 1);
}

TEST_CASE("where no blocks can be kept the files are read back, in the order of their paths") {
  const SharedDirectory directory;
  collect_checksums(directory.path + "/none");
  const std::vector<std::string> names{"a.nc", "a.zarr/c/0", "a.zarr/c.json", "a.zarr.json", "b"};
  for (const auto& name : names) {
    const auto path = directory.path + "/files/" + name;
    if (world_rank() == 0)
      std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    MPI_Barrier(MPI_COMM_WORLD);
    write_blocks(path, 3);
    end_written(path);
  }
  write_checksums(MPI_COMM_WORLD, directory.path);
  if (world_rank() != 0) return;
  const auto lines = lines_of(directory.path + "/checksums.jsonl");
  REQUIRE(lines.size() == names.size() + 1);
  std::uint32_t sum = 0;
  for (int number = 0; number < 3; ++number) sum = crc32(sum, some_block(number));
  const auto blocks = Json::array({Json{0, 3 * block_bytes, fmt::format("{:08x}", sum)}});
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(lines[i]["file"] == "files/" + names[i]);
    CHECK(lines[i]["blocks"] == blocks);
  }
}

TEST_CASE("of files that nobody changed the list before is kept") {
  const SharedDirectory directory;
  const auto files = directory.path + "/files/", list = directory.path + "/checksums.jsonl";
  const std::vector<std::string> names{"a.nc", "b.nc", "c.nc", "d.nc"};
  if (world_rank() == 0) std::filesystem::create_directories(files);
  collect_checksums(directory.path);
  CHECK(checksums_directory() == directory.path);
  MPI_Barrier(MPI_COMM_WORLD);
  for (const auto& name : names) write_blocks(files + name, 2);
  write_checksums(MPI_COMM_WORLD, directory.path);
  std::vector<Json> before;
  if (world_rank() == 0) {
    before = lines_of(list);
    set_list_aside(directory.path, [](std::string_view name) { return name == "c.nc"; });
    CHECK_FALSE(std::filesystem::exists(list));
    // As after a kill.
    set_list_aside(directory.path, [](std::string_view name) { return name == "d.nc"; });
    for (const int changed : {0, 2, 3}) std::ofstream(files + names[changed]) << "damage";
    std::filesystem::remove(files + names[1]);
  }
  collect_checksums(directory.path);
  MPI_Barrier(MPI_COMM_WORLD);
  write_checksums(MPI_COMM_WORLD, directory.path);
  if (world_rank() != 0) return;
  const auto after = lines_of(list);
  REQUIRE(after.size() == 5);
  CHECK(after[0] == before[0]);
  CHECK(after[1] == before[1]);
  for (const int read : {2, 3}) CHECK(after[read]["bytes"] == 6);
  CHECK_FALSE(std::filesystem::exists(list + ".old"));
  std::ofstream(list, std::ios::app) << "damage";
  std::ofstream(list) << "{}\n";
  set_list_aside(directory.path, [](std::string_view) { return false; });
  CHECK(ListReader(list + ".old").at_end());
}
