// SPDX-License-Identifier: Apache-2.0
// header = magic numrecs dimensions attributes variables, all big-endian. Counts and sizes have 4
// bytes, in CDF-5 8 bytes; offsets have 4 bytes in CDF-1, otherwise 8.
#include "format/netcdf/classic_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <vector>

#include "file/refusal.hpp"
#include "format/netcdf/netcdf_calls.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

// Bytes of a value by type, 1 = NC_BYTE to 11 = NC_UINT64 (0 is no type).
constexpr std::array<std::int64_t, 12> type_bytes{0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};

class ClassicHeader {
 public:
  explicit ClassicHeader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    if (!file_) {
      throw Error(Blame::file_system,
                  fmt::format("cannot read '{}': {}", path, refusal_reason(path, errno)));
    }
    std::array<char, 4> magic{};
    file_.read(magic.data(), magic.size());
    version_ = magic[3];
    if (!file_ || magic[0] != 'C' || magic[1] != 'D' || magic[2] != 'F' ||
        (version_ != 1 && version_ != 2 && version_ != 5)) {
      refuse_classic_header(path_);
    }
  }

  std::map<std::string, ClassicRange> variables() {
    count();                            // records
    std::vector<std::int64_t> lengths;  // of the dimensions, 0 = records
    for (auto left = list(); left > 0; --left) name(), lengths.push_back(number());
    attributes();
    std::map<std::string, ClassicRange> ranges;
    for (auto left = list(); left > 0; --left) {
      const auto variable = name();
      std::int64_t values = 1;
      for (auto dimensions = count(); dimensions > 0; --dimensions) {
        const auto dimension = static_cast<std::size_t>(count());
        if (dimension >= lengths.size()) refuse_classic_header(path_);
        values = product(values, std::max<std::int64_t>(lengths[dimension], 1));
      }
      attributes();
      const auto bytes = product(bytes_of_type(), values);
      count();  // size: not that of large ones
      const auto begin = integer(version_ == 1 ? 4 : 8);
      std::int64_t end = 0;
      if (begin < 0 || __builtin_add_overflow(begin, bytes, &end)) refuse_classic_header(path_);
      ranges[variable] = {begin, end};
    }
    return ranges;
  }

 private:
  std::int64_t integer(int bytes) {
    std::uint64_t value = 0;
    for (; bytes > 0; --bytes) {
      value = value << 8U | static_cast<std::uint64_t>(file_.get() & 0xff);
    }
    if (!file_) refuse_classic_header(path_);
    return static_cast<std::int64_t>(value);
  }

  std::int64_t count() { return integer(version_ == 5 ? 8 : 4); }

  /// A count that is not that of records, which may be unknown.
  std::int64_t number() {
    const auto found = count();
    if (found < 0) refuse_classic_header(path_);
    return found;
  }

  std::int64_t product(std::int64_t one, std::int64_t other) const {
    std::int64_t found = 0;
    if (__builtin_mul_overflow(one, other, &found)) refuse_classic_header(path_);
    return found;
  }

  /// Entries of a list of dimensions, attributes or variables; its tag is 0 where there are none.
  std::int64_t list() {
    integer(4);
    return count();
  }

  std::int64_t bytes_of_type() {
    const auto type = integer(4);
    if (type < 1 || type >= static_cast<std::int64_t>(type_bytes.size()))
      refuse_classic_header(path_);
    return type_bytes[type];
  }

  std::int64_t padded(std::int64_t bytes) const {
    return bytes == 0 ? 0 : product((bytes - 1) / 4 + 1, 4);
  }

  std::string name() {
    const auto length = number();
    if (length > NC_MAX_NAME) refuse_classic_header(path_);
    std::string text(padded(length), '\0');
    file_.read(text.data(), padded(length));
    text.resize(length);
    return text;
  }

  void attributes() {
    for (auto left = list(); left > 0; --left) {
      name();
      const auto bytes = bytes_of_type();
      file_.ignore(padded(product(number(), bytes)));
    }
  }

  std::string path_;
  std::ifstream file_;
  int version_ = 0;
};

}  // namespace

void refuse_classic_header(const std::string& path) {
  throw Error(Blame::user, fmt::format("the header of '{}' is not that of a classic netCDF file; "
                                       "put the file back as it was, or begin anew",
                                       path));
}

std::map<std::string, ClassicRange> classic_variables(const std::string& path) {
  return ClassicHeader(path).variables();
}

}  // namespace thalweg
