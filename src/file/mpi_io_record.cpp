// SPDX-License-Identifier: Apache-2.0
// Brings what every rank did through MPI-IO to rank 0, which writes mpi_io.json.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "file/mpi_io.hpp"
#include "thalweg/error.hpp"
#include "thalweg/mpi_io.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

using Json = nlohmann::ordered_json;

/// JSON text of a record -> files written that way. The head of a file's team counts it.
std::map<std::string, int>& recorded() {
  static std::map<std::string, int> records;
  return records;
}

void wait_one(MPI_Request request) { wait_all({&request, 1}, "the MPI-IO record of another rank"); }

/// texts[rank] on rank 0, nothing elsewhere.
std::vector<std::string> gather(MPI_Comm comm, const std::string& text) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int size = static_cast<int>(text.size());
  std::vector<int> sizes(ranks), begins(sizes.size() + 1);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Igather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, comm, &request);
  wait_one(request);
  for (std::size_t i = 0; i < sizes.size(); ++i) begins[i + 1] = begins[i] + sizes[i];
  std::string all(begins.back(), '\0');
  MPI_Igatherv(text.data(), size, MPI_CHAR, all.data(), sizes.data(), begins.data(), MPI_CHAR, 0,
               comm, &request);
  wait_one(request);
  std::vector<std::string> texts;
  for (std::size_t i = 0; rank == 0 && i < sizes.size(); ++i) {
    texts.push_back(all.substr(begins[i], sizes[i]));
  }
  return texts;
}

}  // namespace

void record_io_hints(const IoRecord& record) {
  const Json text{{"container", record.container},
                  {"ranks", record.ranks},
                  {"layer", record.layer.name},
                  {"library", record.layer.library},
                  {"parameters", record.layer.parameters},
                  {"asked", record.asked},
                  {"reported", record.reported}};
  ++recorded()[text.dump()];
}

void write_mpi_io_record(MPI_Comm comm, const std::string& directory) {
  std::map<std::string, int> together;
  for (const auto& text : gather(comm, Json(recorded()).dump())) {
    const Json own = Json::parse(text);
    for (const auto& [record, files] : own.items()) {
      together[record] += files.get<int>();
    }
  }
  recorded().clear();
  if (together.empty()) return;  // also on every rank but 0
  Json list = Json::array();
  for (const auto& [record, files] : together) {
    list.push_back(Json::parse(record));
    list.back()["files"] = files;
  }
  const auto path = directory + "/mpi_io.json";
  std::ofstream file(path, std::ios::binary);
  file << Json{{"files", list}}.dump(1) << '\n';
  file.close();
  if (file) return;
  throw Error(Blame::file_system,
              fmt::format("'{}' cannot be written; check that its directory exists and has space "
                          "left",
                          path));
}

}  // namespace thalweg
