// SPDX-License-Identifier: Apache-2.0
// thalweg_grib2_bench: float32 values become GRIB2 messages in memory, by us and by ecCodes in
// turn.
#include <eccodes.h>
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "codec/bit_packer.hpp"
#include "format/grib2/message.hpp"
#include "json_lines.hpp"
#include "measuring.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"

namespace {

using namespace thalweg;
using namespace thalweg::bench;

constexpr const char* usage =
    "Usage: thalweg_grib2_bench [--repetitions N] [--quick]\n"
    "Example: thalweg_grib2_bench --repetitions 9\n";
constexpr unsigned seed = 20261121;  // any; fixed, so that a run can be repeated

struct Request {
  int repetitions = 9;
  std::size_t points = 81920, levels = 90;  // R2B5 with the levels of ICON's global set-ups
};

/// values[level * points + point], all levels of one field at one time.
using Values = std::vector<float>;

/// Temperature-like: a profile, waves from planetary to grid scale, little noise.
Values smooth_values(const Request& request) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0.0, 0.05);
  constexpr std::array<double, 4> amplitudes_k{15.0, 4.0, 1.0, 0.3},
      waves{3.0, 17.0, 131.0, 1201.0};
  Values values;
  for (std::size_t level = 0; level < request.levels; ++level) {
    const double height = 1.0 - static_cast<double>(level) / static_cast<double>(request.levels);
    for (std::size_t point = 0; point < request.points; ++point) {
      const double angle =
          2.0 * std::numbers::pi * static_cast<double>(point) / static_cast<double>(request.points);
      double kelvin = 288.0 - 70.0 * height + noise(random);
      for (std::size_t i = 0; i < waves.size(); ++i) {
        kelvin += amplitudes_k[i] * std::sin(waves[i] * (angle + height));
      }
      values.push_back(static_cast<float>(kelvin));
    }
  }
  return values;
}

Values random_values(const Request& request) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(-1.0F, 1.0F);
  Values values(request.points * request.levels);
  for (float& value : values) value = between(random);
  return values;
}

using Handle = std::unique_ptr<codes_handle, int (*)(codes_handle*)>;

void check(int status, const char* what) {
  if (status == CODES_SUCCESS) return;
  throw Error(Blame::bug,
              fmt::format("ecCodes cannot {}: {}", what, codes_get_error_message(status)));
}

std::vector<double> decoded(std::span<const std::byte> message) {
  const Handle handle(codes_handle_new_from_message(nullptr, message.data(), message.size()),
                      codes_handle_delete);
  if (handle == nullptr) throw Error(Blame::bug, "ecCodes cannot read a message");
  std::size_t count = 0;
  check(codes_get_size(handle.get(), "values", &count), "count values");
  std::vector<double> values(count);
  check(codes_get_double_array(handle.get(), "values", values.data(), &count), "decode values");
  return values;
}

/// The same field at one number of bits, packed by both.
class Contest {
 public:
  Contest(const Request& request, const Values& values, int bits)
      : request_(request), bits_(bits), floats_(values), doubles_(values.begin(), values.end()) {
    FileDescription file;
    file.fields = {{"ta", "air_temperature", "temperature", "K", Place::cell,
                    static_cast<int>(request.levels), ValueType::float32}};
    for (std::size_t level = 1; level <= request.levels; ++level) {
      file.level_numbers.push_back(static_cast<int>(level));
    }
    file.sizes = {static_cast<std::int64_t>(request.points), 0, 0};
    file.start_date = "2000-01-01T00:00:00Z";
    const auto parameter = grib2_parameters(file.fields).front();
    frame_ = std::make_unique<Grib2Message>(file, 0, parameter, Grib2Coding::simple);
    data_bytes_ = packed_bytes(request.points, bits);
    ours_.resize(frame_->bytes(data_bytes_) * request.levels);
    pack_ours();
    const auto first = our_message(0);
    handle_.reset(codes_handle_new_from_message_copy(nullptr, first.data(), first.size()));
    if (handle_ == nullptr) throw Error(Blame::bug, "ecCodes cannot read our message");
    theirs_.resize(ours_.size() + 4096 * request.levels);
    pack_theirs();
  }

  void pack_ours() {
    const auto size = frame_->bytes(data_bytes_);
    for (std::size_t level = 0; level < request_.levels; ++level) {
      const auto values = values_of(level);
      const PackedLevel packed{choose_packing(range_of(values), bits_), values, {}, {}};
      auto* into = ours_.data() + level * size;
      packed.pack_into(
          frame_->frame(3600.0, static_cast<int>(level) + 1, packed, data_bytes_, size, into));
    }
  }

  /// ecCodes takes doubles; that they are at hand already is a present to it.
  void pack_theirs() {
    their_ends_.clear();
    std::size_t end = 0;
    for (std::size_t level = 0; level < request_.levels; ++level) {
      check(codes_set_long(handle_.get(), "scaledValueOfFirstFixedSurface",
                           static_cast<long>(level) + 1),
            "set a level");
      check(codes_set_double_array(handle_.get(), "values",
                                   doubles_.data() + level * request_.points, request_.points),
            "pack values");
      const void* message = nullptr;
      std::size_t size = 0;
      check(codes_get_message(handle_.get(), &message, &size), "give its message");
      const auto* bytes = static_cast<const std::byte*>(message);
      if (end + size > theirs_.size()) throw Error(Blame::bug, "ecCodes' messages are too long");
      std::copy(bytes, bytes + size, theirs_.begin() + end);
      their_ends_.push_back(end += size);
    }
  }

  /// The first wrong value, or "": ecCodes must read ours to half a step, and its own to one step
  /// of ours.
  std::string wrong() const {
    for (std::size_t level = 0; level < request_.levels; ++level) {
      const auto values = values_of(level);
      const double half = largest_change(choose_packing(range_of(values), bits_));
      const auto mine = decoded(our_message(level)), other = decoded(their_message(level));
      if (mine.size() != values.size() || other.size() != values.size()) {
        return fmt::format("level {} has {} values instead of {}", level + 1, mine.size(),
                           values.size());
      }
      for (std::size_t point = 0; point < values.size(); ++point) {
        if (std::abs(mine[point] - double{values[point]}) <= half * (1.0 + 1e-7) &&
            std::abs(mine[point] - other[point]) <= 2.0 * half) {
          continue;
        }
        return fmt::format("value {} of level {} is {}, ours reads {}, that of ecCodes {}", point,
                           level + 1, values[point], mine[point], other[point]);
      }
    }
    return "";
  }

 private:
  std::span<const float> values_of(std::size_t level) const {
    return std::span(floats_).subspan(level * request_.points, request_.points);
  }
  std::span<const std::byte> our_message(std::size_t level) const {
    const auto size = frame_->bytes(data_bytes_);
    return std::span(ours_).subspan(level * size, size);
  }
  std::span<const std::byte> their_message(std::size_t level) const {
    const auto begin = level == 0 ? 0 : their_ends_[level - 1];
    return std::span(theirs_).subspan(begin, their_ends_[level] - begin);
  }

  Request request_;
  int bits_;
  const Values& floats_;
  std::vector<double> doubles_;
  std::unique_ptr<Grib2Message> frame_;
  std::size_t data_bytes_ = 0;
  std::vector<std::byte> ours_, theirs_;  // [level] messages
  std::vector<std::size_t> their_ends_;   // [level] in theirs_
  Handle handle_{nullptr, codes_handle_delete};
};

struct Samples {
  std::vector<double> wall_s, cpu_s;  // [repetition]
};

void time_into(Samples& samples, const std::function<void()>& work) {
  const double begin_s = now_s(), begin_cpu_s = cpu_now_s();
  work();
  samples.wall_s.push_back(now_s() - begin_s);
  samples.cpu_s.push_back(cpu_now_s() - begin_cpu_s);
}

nlohmann::json as_json(const Spread& spread) {
  return {{"median", rounded(spread.median)},
          {"p05", rounded(spread.p05)},
          {"p95", rounded(spread.p95)}};
}

nlohmann::json line_of(const Request& request, const std::string& method, int bits,
                       const Samples& samples) {
  const auto values = static_cast<double>(request.points * request.levels);
  std::vector<double> speeds;
  for (const double wall_s : samples.wall_s)
    speeds.push_back(values * sizeof(float) / wall_s / 1e6);
  nlohmann::json line{{"bench", "grib2"},
                      {"method", method},
                      {"bits", bits},
                      {"points", request.points},
                      {"levels", request.levels},
                      {"n", speeds.size()},
                      {"unit", "MB/s"},
                      {"cpu_s", rounded(spread_of(samples.cpu_s).median)}};
  line.update(as_json(spread_of(speeds)));
  return line;
}

/// Ratio of speeds of one repetition each.
Spread ratio(const Samples& mine, const Samples& other) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < mine.wall_s.size(); ++i) {
    ratios.push_back(other.wall_s[i] / mine.wall_s[i]);
  }
  return spread_of(std::move(ratios));
}

bool measure(const Request& request) {
  const std::map<std::string, Values> fields{{"smooth", smooth_values(request)},
                                             {"random", random_values(request)}};
  const std::array<int, 2> all_bits{12, 16};
  const auto trials = static_cast<int>(fields.size() * all_bits.size()) * request.repetitions;
  int done = 0;
  bool right = true;
  for (const auto& [kind, values] : fields) {
    for (const int bits : all_bits) {
      Contest contest(request, values, bits);
      Samples mine, other;
      for (int repetition = 0; repetition < request.repetitions; ++repetition) {
        const bool first = repetition % 2 == 0;
        if (first) time_into(mine, [&] { contest.pack_ours(); });
        time_into(other, [&] { contest.pack_theirs(); });
        if (!first) time_into(mine, [&] { contest.pack_ours(); });
        print_line({{"progress", {{"done", ++done}, {"of", trials}, {"method", kind}}}});
      }
      const auto name = fmt::format("{}_{}", kind, bits);
      auto line = line_of(request, "ours_" + name, bits, mine);
      line["paired_ratio"] = {{"eccodes_" + name, as_json(ratio(mine, other))}};
      if (const auto wrong = contest.wrong(); !wrong.empty()) {
        line = {{"bench", "grib2"}, {"method", "ours_" + name}, {"wrong", wrong}};
        right = false;
      }
      print_line(line);
      if (right) print_line(line_of(request, "eccodes_" + name, bits, other));
    }
  }
  return right;
}

Request parse(const std::vector<std::string>& words) {
  Request request;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--quick") {
      request.points = 1280;
      request.levels = 4;
    } else if (words[i] == "--repetitions" && i + 1 < words.size()) {
      const auto& text = words[++i];
      if (text.find_first_not_of("0123456789") != std::string::npos || text.size() > 6 ||
          (request.repetitions = std::stoi("0" + text)) < 1) {
        throw Error(Blame::user, fmt::format("--repetitions is '{}', but must be a whole number of "
                                             "at least 1",
                                             text));
      }
    } else {
      throw Error(Blame::user,
                  fmt::format("option '{}' does not exist or has no value; see --help", words[i]));
    }
  }
  return request;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words == std::vector<std::string>{"--help"}) return fmt::print("{}", usage), 0;
  MPI_Init(&count, &arguments);
  int code = 0;
  try {
    start_clock(MPI_COMM_WORLD);
    code = measure(parse(words)) ? 0 : 1;
  } catch (const Error& error) {
    fmt::print(stderr, "thalweg: error: {}\n", error.what());
    code = error.exit_code();
  }
  MPI_Finalize();
  return code;
}
