# SPDX-License-Identifier: Apache-2.0
"""How values travel in target `onesided`: each rank puts them into its neighbours' memory and says
so there, in the role that GASPI's notifications have.
"""

from __future__ import annotations

CODE = """
// A window of each rank has a notification and two rooms for each partner. Partners notify each
// other in every exchange, with or without values: nobody is two exchanges ahead of another, and
// who fills a room knows that it has been emptied.
class Wires {
 public:
  explicit Wires(Ranks& ranks)
      : ranks_(ranks), room_(ranks.places.size(), 0), there_(ranks.partners.size()) {}
  Wires(const Wires&) = delete;
  Wires& operator=(const Wires&) = delete;
  ~Wires() { close(); }

  template <class Real, std::size_t n>
  void send(const Halo<Real> (&halos)[n], Label label) {
    make_room(halos);
    label_ = label;
    ++exchange_;
    for (std::size_t each = 0; each < ranks_.partners.size(); ++each) {
      Partner& partner = ranks_.partners[each];
      const std::size_t bytes = bytes_of(halos, partner.send);
      partner.out.resize(head + bytes);
      std::memcpy(partner.out.data(), &bytes, sizeof(bytes));
      const Label about = label.with(halos, partner.send);
      std::memcpy(partner.out.data() + sizeof(bytes), &about, sizeof(about));
      pack(halos, partner.send, partner.out.data() + head);
      const auto& there = there_[each];
      put(partner, there.rooms + exchange_ % 2 * there.half);
      ++ranks_.told.messages;
      ranks_.told.bytes += static_cast<std::int64_t>(bytes);
    }
    for (std::size_t each = 0; each < ranks_.partners.size(); ++each) {
      const int rank = ranks_.partners[each].rank;
      MPI_Win_flush(rank, window_);  // values are there before the word that they are
      MPI_Accumulate(&exchange_, 1, MPI_INT64_T, rank, there_[each].notification, 1, MPI_INT64_T,
                     MPI_REPLACE, window_);
    }
    for (const Partner& partner : ranks_.partners) MPI_Win_flush(partner.rank, window_);
  }

  // Where a put needs calls at its target, those.
  void move_on() const {
    int is_there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ranks_.comm, &is_there, MPI_STATUS_IGNORE);
  }

  template <class Real, std::size_t n>
  void receive(const Halo<Real> (&halos)[n]) {
    std::size_t at = rooms() + static_cast<std::size_t>(exchange_ % 2) * half_;
    for (std::size_t each = 0; each < ranks_.partners.size(); ++each) {
      const Partner& partner = ranks_.partners[each];
      ranks_.told.waiting += ranks_.waits_until([&] { return notified(each) >= exchange_; });
      const double came = MPI_Wtime();
      const std::size_t wanted = bytes_of(halos, partner.receive);
      std::size_t bytes = 0;
      std::memcpy(&bytes, memory_ + at, sizeof(bytes));
      Label label;
      std::memcpy(&label, memory_ + at + sizeof(bytes), sizeof(label));
      if (bytes != wanted || label != label_.with(halos, partner.receive)) {
        ranks_.refuse(partner.rank);
      }
      unpack(halos, partner.receive, memory_ + at + head);
      at += space(partner.receive);
      ranks_.told.packing += MPI_Wtime() - came;
    }
  }

 private:

  static constexpr std::size_t head = 64;  // bytes before the values: how many these are, which
  struct There {
    MPI_Aint notification, rooms, half, room;  // bytes from the begin of a partner's window
  };

  std::size_t rooms() const {
    return (ranks_.partners.size() * sizeof(std::int64_t) + 63) / 64 * 64;
  }
  std::size_t space(const std::vector<Points>& points) const {
    std::size_t bytes = head;
    for (std::size_t place = 0; place < points.size(); ++place)
      bytes += points[place].size() * room_[place];
    return (bytes + 63) / 64 * 64;
  }
  std::int64_t notified(std::size_t partner) const {
    move_on();
    MPI_Win_sync(window_);
    return reinterpret_cast<const volatile std::int64_t*>(memory_)[partner];
  }
  void put(const Partner& partner, MPI_Aint to) {
    constexpr std::size_t most = 1 << 30;
    for (std::size_t done = 0; done < partner.out.size(); done += most) {
      const int bytes = static_cast<int>(std::min(most, partner.out.size() - done));
      MPI_Put(partner.out.data() + done, bytes, MPI_BYTE, partner.rank,
              to + static_cast<MPI_Aint>(done), bytes, MPI_BYTE, window_);
    }
  }
  void close() {
    if (window_ == MPI_WIN_NULL) return;
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }

  // Windows grow when an exchange may have more values of a point than any before, whether these
  // travel now or not: on all ranks at once.
  template <class Real, std::size_t n>
  void make_room(const Halo<Real> (&halos)[n]) {
    std::vector<std::size_t> needed(room_.size(), 0);
    for (const auto& halo : halos)
      needed[halo.place] += static_cast<std::size_t>(halo.count) * sizeof(Real);
    bool is_enough = window_ != MPI_WIN_NULL;
    for (std::size_t place = 0; place < room_.size(); ++place) {
      is_enough = is_enough && needed[place] <= room_[place];
      room_[place] = std::max(room_[place], needed[place]);
    }
    if (is_enough) return;
    MPI_Request all;
    MPI_Ibarrier(ranks_.comm, &all);
    ranks_.wait(all, "all ranks to exchange the same fields");
    close();
    half_ = 0;
    for (const auto& partner : ranks_.partners) half_ += space(partner.receive);
    const auto size = static_cast<MPI_Aint>(rooms() + 2 * half_);
    MPI_Win_allocate(size, 1, MPI_INFO_NULL, ranks_.comm, &memory_, &window_);
    std::fill(memory_, memory_ + size, std::byte{0});
    exchange_ = 0;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    MPI_Win_sync(window_);
    std::vector<MPI_Request> open;
    std::vector<There> here(there_.size());
    auto at = static_cast<MPI_Aint>(rooms());
    for (std::size_t each = 0; each < here.size(); ++each) {
      const Partner& partner = ranks_.partners[each];
      here[each] = {static_cast<MPI_Aint>(each * sizeof(std::int64_t)), at,
                    static_cast<MPI_Aint>(half_), static_cast<MPI_Aint>(space(partner.receive))};
      at += here[each].room;
      MPI_Irecv(&there_[each], 4, MPI_AINT, partner.rank, 3, ranks_.comm, &open.emplace_back());
      MPI_Isend(&here[each], 4, MPI_AINT, partner.rank, 3, ranks_.comm, &open.emplace_back());
    }
    ranks_.wait(open, "its neighbours to tell where values go");
    for (std::size_t each = 0; each < here.size(); ++each) {
      const Partner& partner = ranks_.partners[each];
      const bool is_same = there_[each].room == static_cast<MPI_Aint>(space(partner.send));
      if (!is_same) ranks_.refuse(partner.rank);
    }
    MPI_Ibarrier(ranks_.comm, &all);
    ranks_.wait(all, "the windows of all ranks");
  }

  Ranks& ranks_;
  Label label_;                    // of the last exchange
  std::vector<std::size_t> room_;  // [place] bytes of a point
  std::vector<There> there_;       // [partner]
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* memory_ = nullptr;
  std::size_t half_ = 0;       // bytes
  std::int64_t exchange_ = 0;  // number of the last one
};
"""
