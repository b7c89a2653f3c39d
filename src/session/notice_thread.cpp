#include "src/session/notice_thread.hpp"

#include <exception>
#include <string>
#include <utility>

#include "src/log.hpp"

namespace zklock::detail {

notice_thread::notice_thread() : inbox_(std::make_shared<inbox>()), thread_(work, inbox_) {}

notice_thread::~notice_thread() { stop(); }

void notice_thread::stop() noexcept {
  {
    const scoped_lock_on lock(inbox_->mutex);
    inbox_->stopped = true;
    inbox_->changed.notify_all();
  }
  if (!thread_.joinable()) {
    return;
  }
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void notice_thread::post(std::function<void()> notice) {
  const scoped_lock_on lock(inbox_->mutex);
  if (inbox_->stopped) {
    return;
  }
  inbox_->notices.push_back(std::move(notice));
  inbox_->changed.notify_one();
}

void notice_thread::work(const std::shared_ptr<inbox>& in) {
  for (;;) {
    std::function<void()> notice;
    {
      const scoped_lock_on lock(in->mutex);
      while (in->notices.empty()) {
        if (in->stopped) {
          return;
        }
        in->changed.wait(in->mutex);
      }
      notice = std::move(in->notices.front());
      in->notices.pop_front();
    }
    try {
      notice();
    } catch (const std::exception& failure) {
      log::write(log::level::error, std::string("a callback threw: ") + failure.what());
    } catch (...) {
      log::write(log::level::error, "a callback threw something");
    }
  }
}

}  // namespace zklock::detail
