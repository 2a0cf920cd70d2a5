// SPDX-License-Identifier: Apache-2.0
// What GRIB2 cannot hold, said before anything is written.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "codec/bit_packer.hpp"
#include "format/container.hpp"
#include "format/grib2/time.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

void check_grib2(const FileDescription& file) {
  const auto refuse = [](const std::string& reason) {
    throw Error(Blame::user, "[[output]]: container 'grib2' " + reason);
  };
  if (file.float64) {
    refuse(
        fmt::format("packs values into at most {} bits, which precision = \"float64\" cannot "
                    "be; choose precision = \"float32\" or another container",
                    largest_packed_bits));
  }
  if (file.compression.bits < 1 || file.compression.bits > largest_packed_bits) {
    refuse(fmt::format("packs values into 1 to {} bits, not bits = {}", largest_packed_bits,
                       file.compression.bits));
  }
  if (file.chunked) {
    refuse("is a row of messages and has no layout = \"chunked\"; leave 'layout' out");
  }
  constexpr std::int64_t largest_section = std::numeric_limits<std::uint32_t>::max();
  for (const auto& field : file.fields) {
    const auto points = file.sizes[field.place];
    if (points > largest_section ||
        packed_bytes(points, file.compression.bits) > largest_section - 4096) {
      refuse(fmt::format("holds at most 4 GiB a level, field '{}' has {} values of {} bits",
                         field.name, points, file.compression.bits));
    }
  }
  for (const double time_s : file.times_s) {
    if (std::abs(time_s - std::round(time_s)) > 1e-6) {
      refuse(
          fmt::format("knows whole seconds only, but an output time is {} s; choose another "
                      "'interval' or container",
                      time_s));
    }
    if (std::abs(forecast_time(time_s).value) > std::numeric_limits<std::int32_t>::max()) {
      refuse(fmt::format("cannot count {} s since the start of the run in its 31 bits", time_s));
    }
  }
  parse_start_date(file.start_date);
}

}  // namespace thalweg
