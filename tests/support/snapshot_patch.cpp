#include "tests/support/snapshot_patch.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace zklock::test_support {
namespace {

// A node: path (length and text), data (length, -1 for none, and bytes), acl (8), then StatPersisted, which begins with
// czxid, mzxid, ctime, mtime (8 each) and version (4).
constexpr std::size_t before_cversion = 8 + 4 * 8 + 4;
// A seal: the Adler-32 of all bytes before it as a long, then the string "/".
constexpr std::string_view seal_end("\0\0\0\1/", 5);

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8U | static_cast<unsigned char>(c);
  return value;
}

void put_big_endian(std::string& into, std::size_t at, std::size_t size, std::uint64_t value) {
  for (std::size_t i = 0; i < size; ++i) into.at(at + i) = static_cast<char>(value >> (8 * (size - 1 - i)) & 0xffU);
}

std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521U;
    b = (b + a) % 65521U;
  }
  return b << 16U | a;
}

/// Where the checksums stand: each is right before a seal's end, and right for what is before it.
std::vector<std::size_t> seals(const std::string& snapshot) {
  std::vector<std::size_t> out;
  for (std::size_t at = snapshot.find(seal_end, 8); at != std::string::npos; at = snapshot.find(seal_end, at + 1)) {
    if (big_endian(std::string_view(snapshot).substr(at - 8, 8)) ==
        adler32(std::string_view(snapshot).substr(0, at - 8))) {
      out.push_back(at - 8);
    }
  }
  return out;
}

std::filesystem::path newest_snapshot(const std::filesystem::path& directory) {
  std::filesystem::path newest;
  std::uint64_t newest_zxid = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("snapshot.")) continue;
    const std::uint64_t zxid = std::stoull(name.substr(9), nullptr, 16);
    if (newest.empty() || zxid > newest_zxid) {
      newest = entry.path();
      newest_zxid = zxid;
    }
  }
  if (newest.empty()) throw std::runtime_error("no snapshot in " + directory.string());
  return newest;
}

}  // namespace

void set_create_counter(const std::filesystem::path& data_directory, std::string_view path, std::int32_t counter) {
  const std::filesystem::path file = newest_snapshot(data_directory / "version-2");
  std::ifstream in(file, std::ios::binary);
  std::string snapshot{std::istreambuf_iterator<char>(in), {}};
  in.close();
  std::string key(4, '\0');
  put_big_endian(key, 0, 4, path.size());
  key += path;
  const std::size_t found = snapshot.find(key);
  if (found == std::string::npos || snapshot.find(key, found + 1) != std::string::npos) {
    throw std::runtime_error(std::string(path) + " is not once in " + file.string());
  }
  const std::vector<std::size_t> sealed = seals(snapshot);
  if (sealed.empty()) throw std::runtime_error("no valid checksum in " + file.string());
  const std::size_t data = found + key.size();
  const auto length = static_cast<std::int32_t>(big_endian(std::string_view(snapshot).substr(data, 4)));
  const std::size_t cversion = data + 4 + (length > 0 ? static_cast<std::size_t>(length) : 0) + before_cversion;
  put_big_endian(snapshot, cversion, 4, static_cast<std::uint32_t>(counter));
  for (const std::size_t seal : sealed) {
    put_big_endian(snapshot, seal, 8, adler32(std::string_view(snapshot).substr(0, seal)));
  }
  std::ofstream(file, std::ios::binary | std::ios::trunc) << snapshot;
}

}  // namespace zklock::test_support
