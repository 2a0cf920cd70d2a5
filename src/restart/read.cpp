// SPDX-License-Identifier: Apache-2.0
// Reads a restart set into any decomposition: every rank takes from the parts what it owns, in
// large pieces.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "ranks/agreement.hpp"
#include "redist/host_values.hpp"
#include "restart/overlap.hpp"
#include "restart/part.hpp"
#include "restart/set_directory.hpp"
#include "thalweg/timers.hpp"

namespace thalweg {

namespace {

class InputFile {
 public:
  explicit InputFile(std::string path) : path_(std::move(path)) {
    file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) refuse(std::strerror(errno));
  }
  ~InputFile() { ::close(file_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  void read(void* into, std::int64_t size, std::int64_t offset) const {
    auto* next = static_cast<std::byte*>(into);
    while (size > 0) {
      const auto count = ::pread(file_, next, size, offset);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) refuse(count < 0 ? std::strerror(errno) : "it ends early");
      next += count;
      offset += count;
      size -= count;
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(Blame::file_system, fmt::format("cannot read '{}': {}", path_, reason));
  }
  std::string path_;
  int file_ = -1;
};

/// One part of the set with the file it lies in.
struct PartSource {
  std::string path;
  PartEntry entry;
};

std::vector<PartSource> sources_of(const std::string& set_path, const Manifest& manifest) {
  std::vector<PartSource> sources;
  for (const auto& file : manifest.files) {
    for (const auto& part : file.parts) sources.push_back({set_path + "/" + file.name, part});
  }
  return sources;
}

/// Reads the fields of one part into the model's memory.
class PartReader {
 public:
  PartReader(const PartSource& source, const PartIndex& index)
      : file_(source.path), begin_(source.entry.offset), index_(index) {}

  /// overlaps: ascending in `packed`, the part's own numbers of points.
  void read(std::size_t field, const Addressing& where, std::span<const Overlap> overlaps,
            void* values) {
    const auto& place = index_.fields[field];
    const bool columns = place.order == ArrayOrder::level_innermost || where.levels == 1;
    const auto points = place.bytes / where.levels / static_cast<std::int64_t>(where.value_bytes);
    for (int level = 0; level < where.levels; level += columns ? where.levels : 1) {
      const int levels = columns ? where.levels : 1;
      const auto line =
          begin_ + place.offset + level * points * static_cast<std::int64_t>(where.value_bytes);
      for (std::size_t first = 0; first < overlaps.size();) {
        const auto last = end_of_piece(overlaps, first, levels, where.value_bytes);
        read_piece(line, level, levels, where, overlaps.subspan(first, last - first), values);
        first = last;
      }
    }
  }

 private:
  static constexpr std::int64_t longest_piece_bytes = std::int64_t{8} << 20;
  // A read costs about as much as taking this much more along, from memory or a parallel disk.
  static constexpr std::int64_t worthwhile_gap_bytes = std::int64_t{64} << 10;

  static std::size_t end_of_piece(std::span<const Overlap> overlaps, std::size_t first, int levels,
                                  std::size_t value_bytes) {
    const auto point_bytes = levels * static_cast<std::int64_t>(value_bytes);
    auto last = first + 1;
    for (; last < overlaps.size(); ++last) {
      const auto end = overlaps[last - 1].packed + overlaps[last - 1].length;
      const auto whole = overlaps[last].packed + overlaps[last].length - overlaps[first].packed;
      if ((overlaps[last].packed - end) * point_bytes > worthwhile_gap_bytes ||
          whole * point_bytes > longest_piece_bytes) {
        break;
      }
    }
    return last;
  }

  void read_piece(std::int64_t line, int level, int levels, const Addressing& where,
                  std::span<const Overlap> overlaps, void* values) {
    const auto order = index_order(levels);
    const auto point_bytes = levels * static_cast<std::int64_t>(where.value_bytes);
    const auto first = overlaps.front().packed;
    const auto size = (overlaps.back().packed + overlaps.back().length - first) * point_bytes;
    if (overlaps.size() == 1) {
      const Rectangle all{overlaps[0].local, overlaps[0].length, level, levels};
      const auto* there = in_place(values, where, order, all);
      if (there != nullptr) {
        const auto offset = there - static_cast<const std::byte*>(values);
        return file_.read(static_cast<std::byte*>(values) + offset, size,
                          line + first * point_bytes);
      }
    }
    buffer_.resize(std::max<std::size_t>(buffer_.size(), size));
    file_.read(buffer_.data(), size, line + first * point_bytes);
    for (const auto& overlap : overlaps) {
      scatter(buffer_.data() + (overlap.packed - first) * point_bytes, where, order,
              {overlap.local, overlap.length, level, levels}, values);
    }
  }

  static ArrayOrder index_order(int levels) {
    return levels == 1 ? ArrayOrder::point_innermost : ArrayOrder::level_innermost;
  }

  InputFile file_;
  std::int64_t begin_;
  const PartIndex& index_;
  std::vector<std::byte> buffer_;
};

/// Indices of all parts: every rank reads a share of them.
std::vector<PartIndex> read_indices(MPI_Comm comm, std::span<const PartSource> sources) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const auto parts = static_cast<std::int64_t>(sources.size());
  std::vector<std::int64_t> mine;
  const auto failure = attempt(rank, [&] {
    for (auto part = parts * rank / ranks; part < parts * (rank + 1) / ranks; ++part) {
      const auto& source = sources[part];
      std::vector<std::int64_t> words(source.entry.index_bytes / sizeof(std::int64_t));
      InputFile(source.path).read(words.data(), source.entry.index_bytes, source.entry.offset);
      mine.insert(mine.end(), words.begin(), words.end());
    }
  });
  throw_together(comm, failure);
  const auto all = gather_lists(comm, mine);
  std::vector<PartIndex> indices;
  std::span<const std::int64_t> rest(all);
  for (const auto& source : sources) {
    const auto words = source.entry.index_bytes / sizeof(std::int64_t);
    indices.push_back(PartIndex::decode(rest.first(words)));
    rest = rest.subspan(words);
  }
  return indices;
}

/// What the set has of a field instead of what is asked for.
std::vector<std::string> differences(const FieldInfo& has, const FieldInfo& asked) {
  std::vector<std::string> all;
  if (has.levels != asked.levels)
    all.push_back(fmt::format("{} levels instead of {}", has.levels, asked.levels));
  if (has.place != asked.place) {
    all.push_back(fmt::format("values on place '{}' instead of '{}'", place_names[has.place],
                              place_names[asked.place]));
  }
  if (has.type != asked.type) {
    all.push_back(fmt::format("values of type {} instead of {}", value_type_names[has.type],
                              value_type_names[asked.type]));
  }
  return all;
}

/// Positions in the set of the fields that are asked for. Throws Error(user).
std::vector<std::size_t> match_fields(const std::string& set_path, const Manifest& manifest,
                                      const RankPoints& points, std::span<const FieldInfo> fields) {
  std::vector<std::size_t> positions;
  for (const auto& field : fields) {
    const auto found = std::find_if(manifest.fields.begin(), manifest.fields.end(),
                                    [&](const FieldInfo& each) { return each.name == field.name; });
    const Place place = field.place;
    if (found == manifest.fields.end()) {
      throw Error(Blame::user,
                  fmt::format("restart set '{}' has no field '{}'", set_path, field.name));
    }
    if (const auto other = differences(*found, field); !other.empty()) {
      throw Error(Blame::user,
                  fmt::format("field '{}' of restart set '{}' has {}; define the state "
                              "as the run did that wrote it",
                              field.name, set_path, fmt::join(other, ", ")));
    }
    if (manifest.sizes[place] != points[place].global_size) {
      throw Error(Blame::user,
                  fmt::format("restart set '{}' has {} points of place '{}', but {} are wanted: "
                              "another grid wrote it",
                              set_path, manifest.sizes[place], place_names[place],
                              points[place].global_size));
    }
    positions.push_back(found - manifest.fields.begin());
  }
  return positions;
}

}  // namespace

void read_restart(MPI_Comm comm, const RestartSet& set, std::span<const OwnedPoints> points,
                  std::span<const FieldInfo> fields, std::span<const MutableFieldView> views) {
  const ScopedTimer timer(Timer::restart_read);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::string text;
  RankPoints own;
  throw_together(comm, attempt(rank, [&] {
                   own = rank_points(points);
                   check_views(fields, views, own, "read");
                   if (rank == 0) text = read_manifest(set.path).to_text();
                 }));
  const auto manifest = Manifest::parse(broadcast_text(comm, 0, text), set.path);
  std::vector<std::size_t> positions;
  throw_together(comm,
                 attempt(rank, [&] { positions = match_fields(set.path, manifest, own, fields); }));
  const auto sources = sources_of(set.path, manifest);
  const auto indices = read_indices(comm, sources);

  const auto failure = attempt(rank, [&] {
    PerPlace<std::int64_t> found{};
    const auto where = [&](std::size_t field) {
      const auto& stretches = own[fields[field].place].stretches;
      return addressing_of(views[field], fields[field].levels, stretches);
    };
    std::vector<HostValues> on_host(fields.size());  // of devices: all fields, as parts have all
    std::vector<void*> into;
    for (std::size_t field = 0; field < fields.size(); ++field) {
      on_host[field].of_field(fields[field].name);
      into.push_back(on_host[field].of(views[field].values, where(field)));
    }
    for (std::size_t part = 0; part < sources.size(); ++part) {
      PerPlace<std::vector<Overlap>> overlaps;
      for (std::size_t place = 0; place < 3; ++place) {
        overlaps[place] = find_overlaps(indices[part].runs[place], own[place].runs);
        for (const auto& overlap : overlaps[place]) found[place] += overlap.length;
      }
      if (overlaps[0].empty() && overlaps[1].empty() && overlaps[2].empty()) continue;
      PartReader reader(sources[part], indices[part]);
      for (std::size_t field = 0; field < fields.size(); ++field) {
        const auto& overlapping = overlaps[fields[field].place];
        reader.read(positions[field], where(field), overlapping, into[field]);
      }
    }
    for (std::size_t place = 0; place < 3; ++place) {
      if (own[place].global_size != manifest.sizes[place] || found[place] == own[place].count) {
        continue;
      }
      throw Error(Blame::user,
                  fmt::format("restart set '{}' has no values for {} points of '{}'", set.path,
                              own[place].count - found[place], place_names[place]));
    }
    for (std::size_t field = 0; field < fields.size(); ++field) {
      on_host[field].give_back(where(field));
    }
  });
  throw_together(comm, failure);
}

}  // namespace thalweg
