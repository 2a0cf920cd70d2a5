// SPDX-License-Identifier: Apache-2.0
// Lays a part out, encodes its index, and hands its bytes on in slabs.
#include "restart/part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

static_assert(std::endian::native == std::endian::little, "restart files are little-endian");

constexpr std::int64_t magic = 0x3154525453525754;  // "TWRSTRT1", the first letter lowest
constexpr std::size_t head_words = 11;

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + part_alignment_bytes - 1) / part_alignment_bytes * part_alignment_bytes;
}

std::vector<IndexRun> sorted_runs(const OwnedPoints& points) {
  std::vector<IndexRun> runs;
  for (std::size_t local = 0; local < points.global.size(); ++local) {
    const auto global = points.global[local];
    if (!runs.empty() && runs.back().global + runs.back().length == global) {
      ++runs.back().length;
    } else {
      runs.push_back({global, static_cast<std::int64_t>(local), 1});
    }
  }
  std::sort(runs.begin(), runs.end(),
            [](const IndexRun& a, const IndexRun& b) { return a.global < b.global; });
  const char* name = place_names[points.place];
  std::int64_t end = 0;
  for (const auto& run : runs) {
    if (run.global < 0 || run.global + run.length > points.global_size) {
      throw Error(Blame::user, fmt::format("{} {} is owned, but there are only {} of them", name,
                                           run.global < 0 ? run.global : points.global_size,
                                           points.global_size));
    }
    if (run.global < end) {
      throw Error(Blame::user, fmt::format("{} {} is owned twice by one rank", name, run.global));
    }
    end = run.global + run.length;
  }
  return runs;
}

}  // namespace

RankPoints rank_points(std::span<const OwnedPoints> points) {
  RankPoints all;
  for (const auto& each : points) {
    auto& place = all[each.place];
    place.global_size = each.global_size;
    place.count = static_cast<std::int64_t>(each.global.size());
    place.runs = sorted_runs(each);
    require_distinct(each.place, each.positions);
    place.stretches = make_stretches(place.count, each.positions);
  }
  return all;
}

template <class View>
void check_views(std::span<const FieldInfo> fields, std::span<const View> views,
                 const RankPoints& points, std::string_view done) {
  if (views.size() != fields.size()) {
    throw Error(Blame::user,
                fmt::format("the state has {} fields, but {} views were given: there must be one "
                            "for every field, in the order of definition",
                            fields.size(), views.size()));
  }
  for (std::size_t index = 0; index < fields.size(); ++index) {
    const auto& field = fields[index];
    const auto fault = fault_of_view(views[index], field, points[field.place].count);
    if (fault.empty()) continue;
    throw Error(Blame::user,
                fmt::format("field '{}' of the state is to be {} {}", field.name, done, fault));
  }
}
template void check_views(std::span<const FieldInfo>, std::span<const FieldView>, const RankPoints&,
                          std::string_view);
template void check_views(std::span<const FieldInfo>, std::span<const MutableFieldView>,
                          const RankPoints&, std::string_view);

std::vector<std::int64_t> PartIndex::encode() const {
  std::vector<std::int64_t> words{magic,       rank,       static_cast<std::int64_t>(fields.size()),
                                  index_bytes, part_bytes, points[0],
                                  points[1],   points[2]};
  for (const auto& place : runs) words.push_back(static_cast<std::int64_t>(place.size()));
  for (const auto& field : fields) {
    words.insert(words.end(), {static_cast<std::int64_t>(field.order), field.offset, field.bytes});
  }
  for (const auto& place : runs) {
    for (const auto& run : place) words.insert(words.end(), {run.global, run.local, run.length});
  }
  words.resize(index_bytes / sizeof(std::int64_t), 0);
  return words;
}

PartIndex PartIndex::decode(std::span<const std::int64_t> words) {
  PartIndex index;
  const bool headed = words.size() >= head_words && words[0] == magic;
  std::int64_t triples = 0;
  if (headed) triples = words[2] + words[8] + words[9] + words[10];
  if (!headed || triples < 0 ||
      static_cast<std::int64_t>(words.size()) <
          static_cast<std::int64_t>(head_words) + 3 * triples) {
    throw Error(Blame::file_system, "a part does not begin with an index; the file is damaged");
  }
  index.rank = words[1];
  index.index_bytes = words[3];
  index.part_bytes = words[4];
  std::size_t next = head_words;
  for (std::int64_t field = 0; field < words[2]; ++field, next += 3) {
    index.fields.push_back(
        {static_cast<ArrayOrder>(words[next]), words[next + 1], words[next + 2]});
  }
  for (std::size_t place = 0; place < 3; ++place) {
    index.points[place] = words[5 + place];
    for (std::int64_t run = 0; run < words[8 + place]; ++run, next += 3) {
      index.runs[place].push_back({words[next], words[next + 1], words[next + 2]});
    }
  }
  return index;
}

PartIndex make_part_index(std::int64_t rank, const RankPoints& points,
                          std::span<const FieldInfo> fields, std::span<const ArrayOrder> orders) {
  PartIndex index;
  index.rank = rank;
  std::size_t words = head_words + 3 * fields.size();
  for (std::size_t place = 0; place < 3; ++place) {
    index.points[place] = points[place].count;
    index.runs[place] = points[place].runs;
    words += 3 * points[place].runs.size();
  }
  index.index_bytes = aligned(static_cast<std::int64_t>(words * sizeof(std::int64_t)));
  index.part_bytes = index.index_bytes;
  for (std::size_t field = 0; field < fields.size(); ++field) {
    const auto& info = fields[field];
    const auto values = points[info.place].count * info.levels;
    const auto bytes = values * static_cast<std::int64_t>(bytes_of(info.type));
    index.fields.push_back({orders[field], index.part_bytes, bytes});
    index.part_bytes += aligned(bytes);
  }
  return index;
}

Part::Part(std::int64_t rank, const RankPoints& points, std::span<const FieldInfo> fields,
           std::span<const FieldView> views) {
  std::vector<ArrayOrder> orders;
  for (std::size_t field = 0; field < fields.size(); ++field) {
    const auto& place = points[fields[field].place];
    sources_.push_back(
        {views[field].values, addressing_of(views[field], fields[field].levels, place.stretches)});
    orders.push_back(natural_order(sources_.back().where));
  }
  index_ = make_part_index(rank, points, fields, orders);
}

void Part::for_each_slab(const std::function<void(std::span<const std::byte>)>& take) const {
  const auto words = index_.encode();
  std::int64_t offset = 0;  // in the part
  const auto bytes_take = [&](const std::byte* begin, std::int64_t size) {
    while (size > 0) {
      const auto count = std::min(part_slab_bytes - offset % part_slab_bytes, size);
      take(std::span(begin, count));
      begin += count;
      size -= count;
      offset += count;
    }
  };
  bytes_take(reinterpret_cast<const std::byte*>(words.data()), index_.index_bytes);
  static const std::array<std::byte, part_alignment_bytes> zeros{};
  std::vector<std::byte> buffer;
  for (std::size_t field = 0; field < sources_.size(); ++field) {
    const auto& [values, where] = sources_[field];
    const auto& place = index_.fields[field];
    const auto points = where.points();
    const auto value_bytes = static_cast<std::int64_t>(where.value_bytes);
    const auto take_rectangle = [&](const Rectangle& rectangle) {
      if (rectangle.points == 0) return;
      const auto size = rectangle.points * rectangle.levels * value_bytes;
      const auto* there = in_place(values, where, place.order, rectangle);
      if (there != nullptr) return bytes_take(there, size);
      buffer.resize(std::max<std::size_t>(buffer.size(), size));
      gather(values, where, place.order, rectangle, buffer.data());
      bytes_take(buffer.data(), size);
    };
    const Rectangle all{0, points, 0, where.levels};
    if (points > 0 && in_place(values, where, place.order, all) != nullptr) {
      take_rectangle(all);
    } else if (place.order == ArrayOrder::level_innermost) {
      const auto step = std::max<std::int64_t>(1, part_slab_bytes / (where.levels * value_bytes));
      for (std::int64_t point = 0; point < points; point += step) {
        take_rectangle({point, std::min(step, points - point), 0, where.levels});
      }
    } else {
      const auto step = std::max<std::int64_t>(1, part_slab_bytes / value_bytes);
      for (int level = 0; level < where.levels; ++level) {
        const Rectangle line{0, points, level, 1};
        if (points > 0 && in_place(values, where, place.order, line) != nullptr) {
          take_rectangle(line);
          continue;
        }
        for (std::int64_t point = 0; point < points; point += step) {
          take_rectangle({point, std::min(step, points - point), level, 1});
        }
      }
    }
    bytes_take(zeros.data(), aligned(place.bytes) - place.bytes);
  }
}

void Part::copy(std::byte* into) const {
  const auto words = index_.encode();
  std::memcpy(into, words.data(), index_.index_bytes);
  for (std::size_t field = 0; field < sources_.size(); ++field) {
    const auto& [values, where] = sources_[field];
    const auto& place = index_.fields[field];
    gather(values, where, place.order, {0, where.points(), 0, where.levels}, into + place.offset);
    std::memset(into + place.offset + place.bytes, 0, aligned(place.bytes) - place.bytes);
  }
}

}  // namespace thalweg
