// SPDX-License-Identifier: Apache-2.0
// The virtual file driver behind ChunkFile. HDF5 asks it for room, and gets for a chunk the place
// that its owner took. It writes a chunk given to H5Dwrite_chunk from the caller's memory without
// looking at it: a placeholder does, and its address tells the driver so.
#include "format/netcdf/chunk_driver.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "base/file_size_signal.hpp"
#include "file/aside_file.hpp"
#include "file/refusal.hpp"
#include "format/netcdf/netcdf_calls.hpp"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace thalweg {

namespace {

// Address space and no memory: nobody reads it. HDF5's chunks are smaller than 4 GiB.
constexpr std::size_t placeholder_bytes = std::size_t{1} << 32U;

const void* placeholder() {
  static const void* const space = mmap(nullptr, placeholder_bytes, PROT_READ,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return space;
}

/// HDF5 knows the first member only.
struct DriverFile {
  H5FD_t known{};
  int descriptor = -1;
  FileRoom* room = nullptr;
  haddr_t allocated = 0;         // the end as far as HDF5 knows of it
  haddr_t end = 0;               // of what was written or given away
  haddr_t chunk = HADDR_UNDEF;   // place of the chunk that HDF5 asks room for next
  haddr_t placed = HADDR_UNDEF;  // address of the last write from the placeholder
  std::optional<Error> no_room;  // why none could be taken
  int refusal = 0;               // errno of the last call that failed
  bool silent = false;           // abandoned: nothing is written any more
};

DriverFile& of(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file); }
const DriverFile& of(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file); }

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  const int descriptor = open(name, ((flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  struct stat status {};
  if (fstat(descriptor, &status) != 0) {
    close(descriptor);
    return nullptr;
  }
  auto* file = new DriverFile;
  file->descriptor = descriptor;
  file->end = static_cast<haddr_t>(status.st_size);
  return &file->known;
}

herr_t close_file(H5FD_t* file) {
  const int status = close(of(file).descriptor);
  delete &of(file);
  return status == 0 ? 0 : -1;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  // No aggregation of small data: chunks then follow each other, and so do their owners' writes.
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA;
  return 0;
}

/// HDF5 lengthens a block that ends where it believes the file to end, without asking for room. So
/// none does: a few bytes behind each belong to nobody.
constexpr hsize_t gap_bytes = 8;

haddr_t allocate(H5FD_t* file, H5FD_mem_t type, hid_t, hsize_t size) {
  auto& mine = of(file);
  if (type == H5FD_MEM_DRAW && mine.chunk != HADDR_UNDEF) {
    const haddr_t address = std::exchange(mine.chunk, HADDR_UNDEF);
    // Owners write whole pages: who changes the description later must not think them free.
    mine.allocated = std::max<haddr_t>(mine.allocated, whole_pages(address + size));
    return address;
  }
  if (mine.silent || mine.room == nullptr) {  // opening or closing: nobody else is there
    mine.allocated += size;
    return mine.allocated - size;
  }
  try {  // HDF5 is C: nothing may be thrown through it
    const haddr_t address = mine.room->take(size + gap_bytes);
    mine.allocated = std::max<haddr_t>(mine.allocated, address + size + gap_bytes);
    return address;
  } catch (const Error& error) {
    mine.no_room = error;
    return HADDR_UNDEF;
  }
}

haddr_t allocated_end(const H5FD_t* file, H5FD_mem_t) { return of(file).allocated; }
herr_t set_allocated_end(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  of(file).allocated = address;
  return 0;
}
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return of(file).end; }

herr_t handle(H5FD_t* file, hid_t, void** into) {
  *into = file;
  return 0;
}

herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* into) {
  auto* bytes = static_cast<char*>(into);
  while (size > 0) {
    const auto got = pread(of(file).descriptor, bytes, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return of(file).refusal = errno, -1;
    if (got == 0) {  // behind the end are zeros
      std::memset(bytes, 0, size);
      return 0;
    }
    bytes += got, address += static_cast<haddr_t>(got), size -= got;
  }
  return 0;
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                   const void* from) {
  const FileSizeSignalBlocked blocked;
  auto& mine = of(file);
  mine.end = std::max(mine.end, address + size);
  if (from == placeholder()) {
    mine.placed = address;
    return 0;
  }
  const auto* bytes = static_cast<const char*>(from);
  while (size > 0 && !mine.silent) {
    const auto put = pwrite(mine.descriptor, bytes, size, static_cast<off_t>(address));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return mine.refusal = put < 0 ? errno : ENOSPC, -1;
    bytes += put, address += static_cast<haddr_t>(put), size -= put;
  }
  return 0;
}

/// The file is to open: HDF5 demands all bytes that it knows of, also of an owner who may not have
/// written yet.
herr_t set_length(H5FD_t* file, hid_t, hbool_t) {
  const FileSizeSignalBlocked blocked;
  auto& mine = of(file);
  if (mine.silent || mine.end == mine.allocated) return 0;
  if (ftruncate(mine.descriptor, static_cast<off_t>(mine.allocated)) != 0)
    return mine.refusal = errno, -1;
  mine.end = mine.allocated;
  return 0;
}

hid_t driver_id() {
  static std::mutex guard;
  static hid_t id = -1;
  const std::lock_guard lock(guard);
  if (H5Iis_valid(id) > 0) return id;
  static H5FD_class_t driver{};  // everything that is not named here is left to HDF5
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(515);  // 512 to 65535 are free for testing
#endif
  driver.name = "chunk";
  driver.maxaddr = (haddr_t{1} << 62U) - 1;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.open = open_file;
  driver.close = close_file;
  driver.query = query;
  driver.alloc = allocate;
  driver.get_eoa = allocated_end;
  driver.set_eoa = set_allocated_end;
  driver.get_eof = end_of_file;
  driver.get_handle = handle;
  driver.read = read_bytes;
  driver.write = write_bytes;
  driver.truncate = set_length;
  const H5FD_mem_t types[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(types), std::end(types), driver.fl_map);
  return id = H5FDregister(&driver);
}

}  // namespace

ChunkFile::ChunkFile(const std::string& path, FileRoom& room) : path_(path) {
  if (placeholder() == MAP_FAILED) {
    throw Error(Blame::user,
                "the limit of virtual memory (ulimit -v) leaves no 4 GiB of addresses "
                "for chunked netCDF-4 files");
  }
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_driver(access, driver_id(), nullptr);
  // Close ends every open dataset, also after an error. B-tree nodes lie apart from the chunks.
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pset_meta_block_size(access, std::size_t{1} << 16U);
  file_ = H5Fopen(path.c_str(), H5F_ACC_RDWR, access);
  H5Pclose(access);
  check(file_ >= 0, "open");
  H5Fget_vfd_handle(file_, H5P_DEFAULT, &driver_);
  static_cast<DriverFile*>(driver_)->allocated += gap_bytes;  // behind netCDF-C's last block, too
  use(room);
}

std::uint64_t ChunkFile::end() const { return static_cast<DriverFile*>(driver_)->allocated; }

void ChunkFile::skip_to(std::uint64_t end) {
  auto& driver = *static_cast<DriverFile*>(driver_);
  driver.allocated = std::max<haddr_t>(driver.allocated, end);
  driver.room->begin_at(driver.allocated);
}

FileRoom& ChunkFile::room() const { return *static_cast<DriverFile*>(driver_)->room; }

void ChunkFile::use(FileRoom& room) {
  auto& driver = *static_cast<DriverFile*>(driver_);
  driver.room = &room;
  room.begin_at(driver.allocated);
}

ChunkFile::~ChunkFile() { abandon(); }

void ChunkFile::check(bool good, const char* what) const {
  if (good) return;
  if (driver_ != nullptr && static_cast<DriverFile*>(driver_)->no_room)
    throw *static_cast<DriverFile*>(driver_)->no_room;
  const int refusal = driver_ == nullptr ? errno : static_cast<DriverFile*>(driver_)->refusal;
  throw Error(Blame::file_system,
              std::string("cannot ") + what + " '" + path_ + "': " +
                  (refusal == 0 ? std::string("HDF5 refuses it") : refusal_reason(path_, refusal)));
}

int ChunkFile::open_dataset(const std::string& name) {
  Dataset dataset{H5Dopen2(file_, name.c_str(), H5P_DEFAULT), {}};
  check(dataset.id >= 0, "find a variable in");
  const hid_t space = H5Dget_space(dataset.id);
  dataset.shape.resize(H5Sget_simple_extent_ndims(space));
  H5Sget_simple_extent_dims(space, dataset.shape.data(), nullptr);
  H5Sclose(space);
  datasets_.push_back(dataset);
  return static_cast<int>(datasets_.size()) - 1;
}

void ChunkFile::extend(int dataset, std::uint64_t length) {
  auto& [id, shape] = datasets_[dataset];
  if (shape[0] >= length) return;
  shape[0] = length;
  check(H5Dset_extent(id, shape.data()) >= 0, "extend");
}

void ChunkFile::place(int dataset, std::span<const std::uint64_t> offset, std::uint64_t size,
                      std::uint64_t address) {
  const auto id = datasets_[dataset].id;
  std::vector<hsize_t> where(offset.begin(), offset.end());
  auto& driver = *static_cast<DriverFile*>(driver_);
  driver.placed = HADDR_UNDEF;
  driver.chunk = address;
  const auto status = H5Dwrite_chunk(id, H5P_DEFAULT, 0, where.data(), size, placeholder());
  check(status >= 0 && driver.placed == address, "make room in");
}

void ChunkFile::write_number(int dataset, std::uint64_t index, double value) {
  const auto id = datasets_[dataset].id;
  const hsize_t start = index, count = 1;
  const hid_t file_space = H5Dget_space(id), memory_space = H5Screate_simple(1, &count, nullptr);
  H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, nullptr, &count, nullptr);
  const auto status =
      H5Dwrite(id, H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT, &value);
  H5Sclose(memory_space);
  H5Sclose(file_space);
  check(status >= 0, "write");
}

void ChunkFile::flush() { check(H5Fflush(file_, H5F_SCOPE_LOCAL) >= 0, "write"); }

void ChunkFile::close() {
  flush();  // a refusal is found while the driver still knows the reason
  const hid_t file = std::exchange(file_, -1);
  driver_ = nullptr;
  datasets_.clear();
  check(H5Fclose(file) >= 0, "close");
}

void ChunkFile::abandon() noexcept {
  if (file_ < 0) return;
  static_cast<DriverFile*>(driver_)->silent = true;
  H5Fclose(std::exchange(file_, -1));
  driver_ = nullptr;
}

}  // namespace thalweg
