#!/bin/bash
# check_purity.sh NM FILE... [-- FILE...]: fails, and says which, when an object needs a clock, a thread, a mutex, randomness, a file,
# a socket or another service of the system. Such things come from outside, as values or by a virtual call. The objects may
# need each other, and those behind --, which are not checked.
set -euo pipefail
nm=$1
shift
files=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  files+=("$1")
  shift
done
[ "${1:-}" != -- ] || shift
[ ${#files[@]} -gt 0 ] || { echo "check_purity.sh: no objects given" >&2; exit 2; }

# Functions of C, by their whole name.
c_names='clock|clock_.*|gettimeofday|time|times|timespec_get|ftime|nanosleep|usleep|sleep|timer_.*|timerfd_.*|alarm|setitimer'
c_names+='|localtime.*|gmtime.*|mktime|strftime'
c_names+='|pthread_.*|__pthread_.*|thrd_.*|mtx_.*|cnd_.*|sem_.*|tss_.*|sched_.*|fork|vfork|clone|exec.*|posix_spawn.*|system|popen'
c_names+='|syscall|futex|__cxa_guard_.*|__cxa_thread_atexit'
c_names+='|rand|rand_r|srand|random|random_r|srandom|.rand48.*|getrandom|getentropy|arc4random.*'
c_names+='|open|open64|openat.*|creat.*|close|read|write|readv|writev|pread.*|pwrite.*|lseek.*|ioctl|fcntl.*|mmap.*|unlink.*|rename.*|stat|fstat.*|lstat.*|mkdir.*'
c_names+='|fopen.*|fdopen|freopen.*|fclose|fread|fwrite|fputs|fputc|fputs|putc|putchar|puts|fgets|getc|fflush|.*printf|__.*printf_chk|.*scanf|perror|syslog'
c_names+='|std(in|out|err)'
c_names+='|socket.*|bind|listen|accept.*|connect|send|sendto|sendmsg|recv|recvfrom|recvmsg|shutdown|poll|ppoll|select|pselect|epoll_.*|eventfd.*|pipe.*|getaddrinfo|gethostby.*|gethostname|inet_.*'
c_names+='|getenv|secure_getenv|setenv|signal|sigaction|kill|raise|getpid|gettid|uname|dlopen|dlsym'
# Parts of the C++ library, as they read when demangled.
cpp_names='std::chrono::|std::(__)?(thread|jthread|this_thread)|mutex|condition_variable|std::(__)?(future|promise)|call_once|__once'
cpp_names+='|std::random_device|std::filesystem|std::basic_[a-z_]*(stream|buf)\b|std::basic_[a-z]*(stream|filebuf)<|std::ios_base|std::(cout|cerr|clog|cin)\b|std::locale'
cpp_names+='|__atomic_wait|__atomic_notify|std::__throw_system_error|zookeeper|zoo_|spdlog|fmt::|boost::|zklock::(client|detail|testing)::'

declare -A known
while read -r name; do
  known[$name]=1
done < <("$nm" --defined-only "${files[@]}" "$@" | awk 'NF == 3 { print $3 }')

found=$(for file in "${files[@]}"; do
  paste <("$nm" -u -A "$file") <("$nm" -u -A -C "$file") | while IFS=$'\t' read -r mangled demangled; do
    [[ $mangled =~ [[:space:]][UwWvV][[:space:]]+([^[:space:]]+)$ ]] || continue
    name=${BASH_REMATCH[1]%%@*}
    [[ $demangled =~ [[:space:]][UwWvV][[:space:]]+(.+)$ ]] || continue
    readable=${BASH_REMATCH[1]}
    [[ -n ${known[$name]:-} ]] && continue
    [[ $name =~ ^(__|_)?(asan|tsan|ubsan|lsan|gcov|sanitizer|llvm)_ ]] && continue  # what the build adds
    if [[ $name =~ ^($c_names)$ || $readable =~ $cpp_names ]]; then
      echo "impure: ${file##*/}: $readable ($name)"
    fi
  done
done)

if [ -n "$found" ]; then
  sort -u <<<"$found"
  exit 1
fi
echo "pure: ${#files[@]} file(s)"
