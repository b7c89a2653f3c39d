# shellcheck shell=bash disable=SC2034
# The Debian packages that the scripts need, and how they get installed. To be sourced.

# To build the library and what uses it.
packages_to_build=(g++ cmake ninja-build libzookeeper-mt-dev libboost-dev libspdlog-dev libfmt-dev libcli11-dev nlohmann-json3-dev)
# To run a private ZooKeeper.
packages_to_serve=(libzookeeper-java default-jre-headless)
# For the tests: the frameworks; Asio, for <zklock/asio.hpp>; clang, because tests compile with it, too
# (libc++ and pkg-config: because users' projects are tried with them); file and dpkg-dev, with which cpack finds out what a
# package depends on; docker-compose,
# because one checks docker-compose.yml; tmux, in which zklock watch draws; python3, because scripts/faults is written in it; its bindings
# of libclang, because scripts/structure reads the sources with them; Curator, with a JDK to compile
# against it, kazoo, and go-zk with what compiles it, because our locks and theirs are tried on one path.
packages_to_test=(libgtest-dev libgmock-dev libasio-dev clang-14 clang-16 libc++-16-dev pkg-config doxygen file dpkg-dev docker-compose tmux python3 python3-clang-14
  default-jdk-headless libcurator-client-java libcurator-framework-java libcurator-recipes-java python3-kazoo
  golang-go golang-github-samuel-go-zookeeper-dev)
# For the benchmark: the libraries that zklock is compared with and what builds them (JNA: for Java to call getrusage), two
# other servers.
packages_to_bench=(default-jdk-headless libcurator-client-java libcurator-framework-java libcurator-recipes-java libjna-java
  python3 python3-kazoo golang-go golang-github-samuel-go-zookeeper-dev golang-etcd-server-dev libhiredis-dev
  redis-server etcd-server)
# For one preset only.
packages_for_preset() {
  case $1 in
    tidy) printf '%s\n' clang-14 clang-tidy-14 ;;
    coverage) printf '%s\n' gcovr ;;
  esac
}

missing_packages() {
  local installed package
  installed=$(dpkg-query --show --showformat '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    grep -qx -F -- "$package installed" <<<"$installed" || printf '%s\n' "$package"
  done
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif ! command -v sudo >/dev/null; then
    printf 'Installing packages takes root or sudo, and here is neither. Have these installed: %s\n' "${missing[*]}" >&2
    return 1
  elif [[ -t 0 ]]; then
    sudo "$@"
  else
    sudo --non-interactive "$@" # there is no terminal to type a password at
  fi
}

# install_packages PACKAGE...: those that are missing; without the network when none is.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    printf 'This script installs packages of Debian 12, and this is no Debian. It would need: %s\n' "$*" >&2
    return 1
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then return 0; fi
  printf 'Installing %d packages: %s\n' "${#missing[@]}" "${missing[*]}"
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
  as_root "${apt[@]}" update
  as_root "${apt[@]}" install --yes --no-install-recommends "${missing[@]}" >/dev/null
}

# fetch_into FOLDER PACKAGE STRIPPED FILE...: these files of a package that is not installed, without so many of the folders that
# they are in. False where apt does not get it.
fetch_into() {
  local folder=$1 package=$2 stripped=$3 unpacked
  shift 3
  if [[ -d $folder ]]; then return 0; fi
  mkdir -p "$(dirname "$folder")"
  unpacked=$(mktemp --directory "$folder.XXXXXX")
  if (cd "$unpacked" && apt-get -qq download "$package" &&
    dpkg-deb --fsys-tarfile "$package"_*.deb | tar --extract --strip-components="$stripped" "$@") &>/dev/null; then
    rm "$unpacked/$package"_*.deb
    chmod 755 "$unpacked"
    mv "$unpacked" "$folder"
  else
    rm -r "$unpacked"
    return 1
  fi
}

# fetch_prometheus FOLDER: its tool, which checks what is scraped and the alerts on it, and its server, under which two of these
# are tried. Its package would start that server.
fetch_prometheus() {
  fetch_into "$1" prometheus 3 ./usr/bin/promtool ./usr/bin/prometheus ||
    echo 'Without prometheus: apt does not get it. What is scraped, and alerts, are not checked by it.'
}

# fetch_boost_asio FOLDER: into it, Boost's Asio as <zklock/asio.hpp> needs it, with what it includes of Boost. Debian 12's default
# Boost is too old, and the newer one cannot be installed beside it. Says so, and succeeds, where apt does not get it.
fetch_boost_asio() {
  fetch_into "$1" libboost1.81-dev 2 ./usr/include/boost/{asio,assert,config,exception,system} \
    ./usr/include/boost/{assert,cerrno,config,cstdint,current_function,limits,throw_exception,version}.hpp ||
    echo 'Without libboost1.81-dev: apt does not get it. <zklock/asio.hpp> is not tried with Boost.'
}
