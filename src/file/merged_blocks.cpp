// SPDX-License-Identifier: Apache-2.0
// A rank sends its next batch when rank 0 has begun to take the one before: none pile up there.
#include "file/merged_blocks.hpp"

#include <algorithm>
#include <cstring>

#include "ranks/outbox.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

constexpr std::size_t most_on_rank_0 = 1 << 17;  // blocks of all ranks together: 3 MiB
constexpr std::size_t fewest = 64, most = 8192;  // in a batch
constexpr double nap_s = 0.0002;

std::size_t blocks_in_a_batch(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return std::clamp(most_on_rank_0 / ranks, fewest, most);
}

std::string next_of(BlockSpool* own, std::size_t blocks) {
  return own == nullptr ? std::string() : own->next_batch(blocks);
}

}  // namespace

void BlockSource::read(void* into, std::size_t bytes) {
  std::memcpy(into, batch_.data() + at_, bytes);
  at_ += bytes;
}

void BlockSource::fetch() {
  batch_ = more_();
  at_ = 0;
  left_ = 0;
  if (!at_end()) step();
}

void BlockSource::step() {
  if (left_ == 0) {
    if (at_ == batch_.size()) return fetch();
    std::int64_t path_bytes = 0;
    read(&path_bytes, sizeof path_bytes);
    read(&left_, sizeof left_);
    path_.resize(path_bytes);
    read(path_.data(), path_.size());
  }
  read(&block_, sizeof block_);
  --left_;
}

void BlockSource::skip_all() {
  while (!batch_.empty()) batch_ = more_();
}

MergedBlocks::MergedBlocks(std::vector<BlockSource> sources) : sources_(std::move(sources)) {
  for (std::size_t source = 0; source < sources_.size(); ++source)
    if (!sources_[source].at_end()) heap_.push_back(source);
  std::make_heap(heap_.begin(), heap_.end(),
                 [this](auto one, auto other) { return comes_later(one, other); });
}

bool MergedBlocks::comes_later(std::size_t one, std::size_t other) const {
  const auto &a = sources_[one], &b = sources_[other];
  if (a.path() != b.path()) return path_before(b.path(), a.path());
  return a.block().offset > b.block().offset;
}

void MergedBlocks::step() {
  const auto later = [this](auto one, auto other) { return comes_later(one, other); };
  std::pop_heap(heap_.begin(), heap_.end(), later);
  auto& source = sources_[heap_.back()];
  source.step();
  if (source.at_end()) {
    heap_.pop_back();
  } else {
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
}

void MergedBlocks::skip_all() {
  for (auto& source : sources_) source.skip_all();
  heap_.clear();
}

std::vector<BlockSource> receive_blocks(MPI_Comm comm, int tag, BlockSpool* own) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const auto blocks = blocks_in_a_batch(comm);
  std::vector<BlockSource> sources;
  sources.emplace_back([own, blocks] { return next_of(own, blocks); });
  for (int rank = 1; rank < ranks; ++rank) {
    sources.emplace_back([comm, tag, rank] {
      MPI_Status status;
      wait_until(
          [&] {
            int there = 0;
            MPI_Iprobe(rank, tag, comm, &there, &status);
            return there != 0;
          },
          "the checksums of other ranks", nap_s);
      return take_text(status, comm);
    });
  }
  return sources;
}

void send_blocks(MPI_Comm comm, int tag, BlockSpool* own) {
  const auto blocks = blocks_in_a_batch(comm);
  for (std::string batch = " "; !batch.empty();) {
    batch = next_of(own, blocks);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Issend(batch.data(), static_cast<int>(batch.size()), MPI_BYTE, 0, tag, comm, &request);
    wait_for(request, "rank 0 to take the checksums of this rank");
  }
}

}  // namespace thalweg
