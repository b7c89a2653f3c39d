#pragma once

#include <memory>
#include <type_traits>

namespace zklock::engine {

class operation;
class out;

/// What is to be told to an operation, for the length of one call: it refers to a function object, and owns nothing.
class event_ref {
 public:
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, event_ref> &&
           std::is_invocable_v<const std::remove_reference_t<Function>&, operation&, out&>) event_ref(Function&& what)
  noexcept  // not explicit: a parameter that takes any function object
      : what_(std::addressof(what)), dispatch_([](const void* function, operation& it, out& wants) {
          (*static_cast<const std::remove_reference_t<Function>*>(function))(it, wants);
        }) {}

  void operator()(operation& it, out& wants) const { dispatch_(what_, it, wants); }

 private:
  const void* what_;
  void (*dispatch_)(const void*, operation&, out&);
};

}  // namespace zklock::engine
