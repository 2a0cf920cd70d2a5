# SPDX-License-Identifier: Apache-2.0
"""How values travel in target `mpi`: a message to each neighbour, with all fields in it."""

from __future__ import annotations

CODE = """
class Wires {
 public:
  explicit Wires(Ranks& ranks) : ranks_(ranks) {}

  template <class Real, std::size_t n>
  void send(const Halo<Real> (&halos)[n]) {
    for (Partner& partner : ranks_.partners) {
      partner.in.resize(bytes_of(halos, partner.receive));
      if (partner.in.empty()) continue;
      MPI_Irecv(partner.in.data(), count(partner.in), MPI_BYTE, partner.rank, 2, ranks_.comm,
                &coming_.emplace_back());
    }
    for (Partner& partner : ranks_.partners) {
      partner.out.resize(bytes_of(halos, partner.send));
      if (partner.out.empty()) continue;
      pack(halos, partner.send, partner.out.data());
      MPI_Isend(partner.out.data(), count(partner.out), MPI_BYTE, partner.rank, 2, ranks_.comm,
                &leaving_.emplace_back());
      ++ranks_.told.messages;
      ranks_.told.bytes += std::ssize(partner.out);
    }
  }

  template <class Real, std::size_t n>
  void receive(const Halo<Real> (&halos)[n]) {
    const double since = MPI_Wtime();
    std::vector<MPI_Status> how(coming_.size());
    ranks_.until(
        [&] {
          int done = 0;
          MPI_Testall(static_cast<int>(coming_.size()), coming_.data(), &done, how.data());
          return done != 0;
        },
        "values of its neighbours");
    coming_.clear();
    const double came = MPI_Wtime();
    std::size_t message = 0;
    for (Partner& partner : ranks_.partners) {
      if (partner.in.empty()) continue;
      int size = 0;
      MPI_Get_count(&how[message++], MPI_BYTE, &size);
      if (size != count(partner.in)) {
        ranks_.give_up("got " + std::to_string(size) + " bytes from rank " +
                       std::to_string(partner.rank) + " instead of " +
                       std::to_string(partner.in.size()) + ": they call kernels differently");
      }
      unpack(halos, partner.receive, partner.in.data());
    }
    const double unpacked = MPI_Wtime();
    ranks_.wait(leaving_, "its neighbours to take values");
    ranks_.told.packing += unpacked - came;
    ranks_.told.waiting += came - since + (MPI_Wtime() - unpacked);
  }

 private:

  int count(const std::vector<std::byte>& message) const {
    if (message.size() <= static_cast<std::size_t>(INT32_MAX)) {
      return static_cast<int>(message.size());
    }
    ranks_.give_up("would send " + std::to_string(message.size()) + " bytes in one message, more " +
                   "than MPI counts; use more ranks");
  }

  Ranks& ranks_;
  std::vector<MPI_Request> coming_, leaving_;
};
"""
