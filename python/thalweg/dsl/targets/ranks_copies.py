# SPDX-License-Identifier: Apache-2.0
"""How values get into messages and out of them: on a CPU, or on a GPU and through the host."""

from __future__ import annotations

LISTS = """
using Lists = std::vector<Points>;  // [place]
inline void wait_for_device() {}
inline bool is_idle() { return true; }
"""

COPIES = """
template <class Real>
void take(const Halo<Real>& halo, const Points& points, Real*& to) {
  for (const std::int64_t point : points) {
    const Real* const from = halo.at(point);
    if (halo.together == 1) {
      to = std::copy_n(from, halo.count, to);
    } else {
      for (std::int64_t j = 0; j < halo.count; ++j) *to++ = from[j * halo.together];
    }
  }
}
template <class Real>
void give(const Halo<Real>& halo, const Points& points, const Real*& from) {
  for (const std::int64_t point : points) {
    Real* const to = halo.at(point);
    for (std::int64_t j = 0; j < halo.count; ++j) to[j * halo.together] = *from++;
  }
}
template <class Real, std::size_t n>
void pack(const Halo<Real> (&halos)[n], const Lists& points, std::byte* out) {
  Real* to = reinterpret_cast<Real*>(out);
  for (const auto& halo : halos) {
    if (halo.travels) take(halo, points[halo.place], to);
  }
}
template <class Real, std::size_t n>
void unpack(const Halo<Real> (&halos)[n], const Lists& points, const std::byte* in) {
  const Real* from = reinterpret_cast<const Real*>(in);
  for (const auto& halo : halos) {
    if (halo.travels) give(halo, points[halo.place], from);
  }
}
"""

LISTS_THERE = """
// [place]; and on the device one behind the other, with room there for values on their way.
struct Lists : std::vector<Points> {
  explicit Lists(std::vector<Points> points) : std::vector<Points>(std::move(points)) {}
  // Found at the first exchange.
  const std::int32_t* there(int place) const {
    if (points_ == nullptr) {
      Points all;
      for (const Points& each : *this) all.insert(all.end(), each.begin(), each.end());
      points_ = room_there(all.size() * sizeof(std::int32_t));
      copy_in(points_.get(), all.data(), all.size() * sizeof(std::int32_t));
    }
    const auto* first = static_cast<const std::int32_t*>(points_.get());
    for (int before = 0; before < place; ++before) first += (*this)[before].size();
    return first;
  }
  void* values(std::size_t bytes) const {
    if (bytes > bytes_) values_ = room_there(bytes_ = bytes);
    return values_.get();
  }

 private:
  static std::shared_ptr<void> room_there(std::size_t bytes) {
    return {device_room(bytes + 1), free_room};
  }
  mutable std::shared_ptr<void> points_, values_;
  mutable std::size_t bytes_ = 0;
};
"""

COPIES_THERE = """
// Where value `thread` of a message is: the values of a point are one behind the other there.
[[maybe_unused]] ON_DEVICE std::int64_t place_of_value(const std::int32_t* points,
                                                       std::int64_t thread, std::int64_t count,
                                                       std::int64_t together) {
  const std::int64_t at = divided(thread, count);
  const std::int64_t block = divided(points[at], together);
  return block * (count * together) + points[at] - block * together +
         (thread - at * count) * together;
}
// Value by value into a message, or back.
template <bool packs, class Real>
SWEEP carry(std::int64_t size, const std::int32_t* points, Real* values, std::int64_t count,
            std::int64_t together, Real* message) {
  const std::int64_t thread = thread_index();
  if (thread >= size) return;
  Real& value = values[place_of_value(points, thread, count, together)];
  if constexpr (packs) {
    message[thread] = value;
  } else {
    value = message[thread];
  }
}
// Of all that travels, one field behind the other.
template <bool packs, class Real, std::size_t n>
void carry_all(const Halo<Real> (&halos)[n], const Lists& points, Real* message) {
  for (const auto& halo : halos) {
    if (!halo.travels) continue;
    const std::int64_t size = std::ssize(points[halo.place]) * halo.count;
    launch(size, 1, carry<packs, Real>, size, points.there(halo.place), halo.values, halo.count,
           halo.together, message);
    message += size;
  }
}
template <class Real, std::size_t n>
void pack(const Halo<Real> (&halos)[n], const Lists& points, std::byte* out) {
  const std::size_t bytes = bytes_of(halos, points);
  if (bytes == 0) return;
  void* const there = points.values(bytes);
  carry_all<true>(halos, points, static_cast<Real*>(there));
  copy_out(out, there, bytes);
}
template <class Real, std::size_t n>
void unpack(const Halo<Real> (&halos)[n], const Lists& points, const std::byte* in) {
  const std::size_t bytes = bytes_of(halos, points);
  if (bytes == 0) return;
  void* const there = points.values(bytes);
  copy_in(there, in, bytes);
  carry_all<false>(halos, points, static_cast<Real*>(there));
}
"""
