# SPDX-License-Identifier: Apache-2.0
"""How values travel in target `mpi`: a message to each neighbour, with all fields in it."""

from __future__ import annotations

CODE = """
class Wires {
 public:
  explicit Wires(Ranks& ranks) : ranks_(ranks) {}

  template <class Real, std::size_t n>
  void send(const Halo<Real> (&halos)[n], Label label) {
    label_ = label;
    for (Partner& partner : ranks_.partners) {
      partner.in.resize(room_of(bytes_of(halos, partner.receive)));
      if (partner.in.empty()) continue;
      MPI_Irecv(partner.in.data(), count(partner.in), MPI_BYTE, partner.rank, 2, ranks_.comm,
                &coming_.emplace_back());
    }
    for (Partner& partner : ranks_.partners) {
      partner.out.resize(room_of(bytes_of(halos, partner.send)));
      if (partner.out.empty()) continue;
      const Label about = label.with(halos, partner.send);
      std::memcpy(partner.out.data(), &about, sizeof(about));
      pack(halos, partner.send, partner.out.data() + sizeof(label));
      MPI_Isend(partner.out.data(), count(partner.out), MPI_BYTE, partner.rank, 2, ranks_.comm,
                &leaving_.emplace_back());
      ++ranks_.told.messages;
      ranks_.told.bytes += std::ssize(partner.out) - static_cast<std::int64_t>(sizeof(label));
    }
    how_.resize(coming_.size());
    has_come_ = coming_.empty();
  }

  // MPI moves long messages, and tells who sends them, only while it is called.
  void move_on() { has_come(); }

  template <class Real, std::size_t n>
  void receive(const Halo<Real> (&halos)[n]) {
    const double waited = ranks_.waits_until([&] { return has_come(); });
    coming_.clear();
    const double came = MPI_Wtime();
    std::size_t message = 0;
    for (Partner& partner : ranks_.partners) {
      if (partner.in.empty()) continue;
      int size = 0;
      MPI_Get_count(&how_[message++], MPI_BYTE, &size);
      Label label;
      std::memcpy(&label, partner.in.data(), sizeof(label));
      const Label wanted = label_.with(halos, partner.receive);
      if (size != count(partner.in) || label != wanted) ranks_.refuse(partner.rank);
      unpack(halos, partner.receive, partner.in.data() + sizeof(label));
    }
    const double unpacked = MPI_Wtime();
    ranks_.wait(leaving_, "its neighbours to take values");
    ranks_.told.packing += unpacked - came;
    ranks_.told.waiting += waited + (MPI_Wtime() - unpacked);
  }

 private:
  // Of so many bytes with their label; none without values.
  static std::size_t room_of(std::size_t bytes) { return bytes == 0 ? 0 : bytes + sizeof(Label); }
  bool has_come() {
    if (has_come_) return true;
    int done = 0;
    const int failed = MPI_Testall(static_cast<int>(coming_.size()), coming_.data(), &done,
                                   how_.data());
    if (failed != MPI_SUCCESS) refuse_longer();
    has_come_ = done != 0;
    return has_come_;
  }
  // MPI has cut a message, and does not say which one.
  [[noreturn]] void refuse_longer() const {
    ranks_.give_up("got more values from a neighbour than those that it needs: they call kernels "
                   "differently, or changed() on some only");
  }

  int count(const std::vector<std::byte>& message) const {
    if (message.size() <= static_cast<std::size_t>(INT32_MAX)) {
      return static_cast<int>(message.size());
    }
    ranks_.give_up("would send " + std::to_string(message.size()) + " bytes in one message, more " +
                   "than MPI counts; use more ranks");
  }

  Ranks& ranks_;
  Label label_;  // of the last exchange
  std::vector<MPI_Request> coming_, leaving_;
  std::vector<MPI_Status> how_;  // those have come
  bool has_come_ = true;         // all of them
};
"""
