// SPDX-License-Identifier: Apache-2.0
// What every file format can do: create a described file that several ranks may write, put pieces
// of fields, complete it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "field/stored_values.hpp"
#include "file/aside_file.hpp"
#include "file/file_room.hpp"
#include "thalweg/compression.hpp"
#include "thalweg/field.hpp"

namespace thalweg {

/// Some levels of some consecutive points of one field: what one rank writes of one time.
struct Piece {
  int field = 0;                             ///< position in FileDescription::fields
  int first_level = 0, levels = 1;           ///< of the levels in the file
  std::int64_t first_point = 0, points = 0;  ///< of the points in the file
};

/// A time that an interrupted run wrote whole into a file.
struct KeptStep {
  int step = 0;  ///< output number in its stream
  double time_s = 0.0;
  std::string place;  ///< what Container::place_of told of it
};

/// Everything about a file that is known before its first value.
struct FileDescription {
  std::string path;                   ///< final name; written aside as path + ".part"
  std::vector<FieldInfo> fields;      ///< `levels` = levels written here (1 = two-dimensional)
  std::vector<FieldInfo> run_fields;  ///< of all streams, written here or not; {} = fields
  std::vector<int> level_numbers;     ///< [levels] 1-based model levels of three-dimensional fields
  PerPlace<std::int64_t> sizes{};     ///< points in this file
  PerPlace<std::int64_t> first_points{};  ///< global index of the first of them
  /// Of the grid, where the file is one part of several; nothing: it holds all points.
  std::optional<PerPlace<std::int64_t>> global_sizes;
  /// Valid times, seconds since start_date: those that the file is to get, and once it is closed,
  /// those that it got. At least those of `kept`, which come first.
  std::vector<double> times_s;
  std::vector<int> steps;      ///< output numbers of these times in their stream
  std::vector<KeptStep> kept;  ///< are in the file: it is there, aside or under its final name
  std::string start_date;      ///< ISO 8601
  std::string grid;            ///< "RnBk" or "" (no mesh description)
  std::string grid_uuid;       ///< with or without dashes; "" = none
  std::map<std::string, std::string> attributes;  ///< global ones that the user or model gave
  std::string history;
  Compression compression;
  bool float64 = false;       ///< of reals; integers stay what they are
  bool chunked = false;       ///< netcdf4: unlimited time axis, one chunk per level and time
  bool bounds = false;        ///< corners of cells, edges and vertices beside their centres
  int writers = 1;            ///< ranks that write this file together, 0 = not known yet
  std::vector<Piece> pieces;  ///< of one time, as they are dealt to all writers
  std::map<std::string, std::string> hints;  ///< MPI-IO hints
  /// Head: called before kept values lie elsewhere, when it is done but for the name. Empty: nobody
  /// has to know.
  std::function<void()> before_moving;

  /// netcdf4: do its fields lie in chunks? HDF5 compresses nothing else.
  bool in_chunks() const { return chunked || !compression.none(); }
  ValueType type_of(const FieldInfo& field) const { return stored_type(field.type, float64); }
  std::size_t value_bytes(const FieldInfo& field) const { return bytes_of(type_of(field)); }
};

/// Best sizes for put(): of values that are written by one call (a kernel with large folios takes
/// them as large as the call is), and of values that are encoded, which means read several times:
/// they should stay in a core's own cache. Decision 0008.
inline constexpr std::int64_t written_slab_bytes = 8 << 20, encoded_slab_bytes = 512 << 10;

/// One rank's end of a file that a team of ranks writes together. No call waits for another rank
/// (MPI-IO containers excepted): what ranks must tell each other goes through `request`, `grant`
/// and `settle`, which the caller carries. Errors throw Error(file_system) with path and reason.
class Container {
 public:
  virtual ~Container() = default;  ///< an unclosed file stays under its aside name
  /// Head only: what the other ranks of the team need for `join`.
  virtual std::string layout() const { return {}; }
  /// How much put() likes to get at once, bytes.
  virtual std::int64_t slab_bytes() const { return written_slab_bytes; }
  /// put() takes parts of a field's rows that begin at multiples of so many points; 0: whole rows
  /// only.
  virtual std::int64_t cut_points(int field) const {
    (void)field;
    return 0;
  }
  /// values[level * piece.points + point] in the type of the description and, if the format says
  /// so, in big-endian order. May be called with parts of a piece, level by level, in any order.
  virtual void put(const Piece& piece, int time_index, const void* values) = 0;
  /// Every rank, before its first put and the head before the others: blocks of sizes that nobody
  /// knows beforehand may go to the end of the file at once, where this room lets them. Without it
  /// they wait for the grant. Lives as long as the file is open.
  virtual void share_room(FileRoom& room) { (void)room; }
  /// After a rank's last put of a time: what the head must know, e.g. sizes of encoded blocks.
  virtual std::string request(int time_index) {
    (void)time_index;
    return {};
  }
  /// Head only: answers the requests of all ranks of the team (its own among them), [rank].
  virtual std::vector<std::string> grant(int time_index, std::vector<std::string> requests) {
    (void)time_index;
    return std::vector<std::string>(requests.size());
  }
  /// Every rank, with its own answer: writes what waited for a place in the file.
  virtual void settle(int time_index, const std::string& answer) { (void)time_index, (void)answer; }
  /// Head only, after the time is settled: what it takes to find it again in a file whose own index
  /// was lost with a killed run; comes back as KeptStep::place.
  virtual std::string place_of(int time_index) {
    (void)time_index;
    return {};
  }
  /// What close() completes the file as. The caller may correct a time before its first put, cut
  /// the times to those that were put before close(), and add to the history. `kept` is empty
  /// where the kept values had to move: blocks are not where the journal has them.
  virtual FileDescription& description() = 0;
  /// Head only, with the times that are to be in the file: will close() move values, because there
  /// is room for more?
  virtual bool moves_at_close() { return false; }
  /// Every rank: its bytes are in the file. The head is called last, after all others: it completes
  /// the description and gives the file its final name.
  virtual void close() = 0;
  /// Closes what there is and leaves it under its aside name. Never throws.
  virtual void abandon() noexcept = 0;
};

/// How bytes reach a file that several ranks write: each by itself, or together by MPI-IO.
enum class Way { direct, mpiio };
/// From the word in [io]; throws Error(user).
Way parse_way(std::string_view word);
const char* way_word(Way way);

/// A file format Thalweg can write.
struct ContainerInfo {
  const char* name;
  Way way;
  const char* suffix;
  const char* reader;  ///< its name in python/thalweg/files/readers.py
  const char* meaning;
  bool parts;       ///< a file may hold a part of the grid
  bool big_endian;  ///< put() takes big-endian values
  bool plugins;     ///< readers need HDF5's plugins for codecs that are not built in
  std::span<const char* const> compressions;  ///< words of the setting, beside "none"
  bool (*settles)(const FileDescription&);    ///< request/grant/settle do something
  bool (*grows)(const FileDescription&);      ///< share_room() does something
  /// Head: a new file, or one with `kept` times to go on with. mpiio: collective over `team`.
  std::unique_ptr<Container> (*create)(const FileDescription&, MPI_Comm team);
  /// Other ranks of the team, with the head's layout(). mpiio: collective with create.
  std::unique_ptr<Container> (*join)(const FileDescription&, const std::string& layout,
                                     MPI_Comm team);
  /// What the format cannot do beside compressions, as check_file(). Null: everything.
  void (*check)(const FileDescription&);
  /// Makes whole.path: one file that shows those of `parts` as one. Null: the format cannot.
  void (*tie)(const FileDescription& whole, std::span<const FileDescription> parts);
  /// What the name of a second file ends in, behind that of the file. Null: there is none.
  const char* beside = nullptr;
  /// A kill in the middle of a time may leave a file that does not open again. Null: none does.
  bool (*fragile)(const FileDescription&) = nullptr;
  /// Of a file with `kept` times, before anything is changed: throws Error(user) where create()
  /// would. Null: the journals tell enough.
  void (*check_kept)(const FileDescription&) = nullptr;
};

/// Every container, in containers.cpp.
std::span<const ContainerInfo> containers();
/// Throws Error(user) with one sentence if the container cannot hold what is described.
void check_file(const ContainerInfo& container, const FileDescription& file);
/// The container of that name and way; throws Error(user) with the list and "did you mean".
const ContainerInfo& find_container(std::string_view name, std::string_view way);

}  // namespace thalweg
