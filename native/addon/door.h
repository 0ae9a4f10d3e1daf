// Door: the one way from the engine's driver thread back to the JavaScript thread, one thread-safe function for each engine.
//
// Owns: the queue of closures and the count of open jobs, which keeps the event loop alive exactly while a job runs.
// Rules that must stay true: post() may be called from any thread and waits for nothing but another post; begin() and end() only on the JavaScript
// thread; the function is not touched once the environment has finalized it, which it does at its end however many hold it.
#pragma once

#include <napi.h>

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace codicil::addon {

class Door {
 public:
  using Closure = std::function<void(Napi::Env)>;

  static std::shared_ptr<Door> open(Napi::Env env) {
    auto door = std::make_shared<Door>();
    // No JavaScript function stands behind it: closures bring what they call. Queue size 0: unlimited, so a post never waits.
    door->function_ = Napi::ThreadSafeFunction::New(env, Napi::Function(), "codicil", 0, 1, [state = door->state_](Napi::Env) {
      const std::scoped_lock lock(state->mutex);
      state->finalized = true;
    });
    door->function_.Unref(env);
    return door;
  }
  ~Door() {
    const std::scoped_lock lock(state_->mutex);
    if (!state_->finalized) function_.Release();
  }

  void post(Closure closure) {
    const std::scoped_lock lock(state_->mutex);
    if (state_->finalized) return;  // nobody waits for it
    auto* owned = new Closure(std::move(closure));
    const napi_status status = function_.NonBlockingCall(owned, [](Napi::Env env, Napi::Function, Closure* run) {
      if (env != nullptr) {
        const Napi::HandleScope scope(env);
        (*run)(env);
      }
      delete run;
    });
    if (status != napi_ok) delete owned;  // the environment is going away
  }

  void begin(Napi::Env env) {
    if (open_jobs_++ == 0) function_.Ref(env);
  }
  void end(Napi::Env env) {
    if (--open_jobs_ == 0) function_.Unref(env);
  }

 private:
  // Outlives the door: the finalizer may come after it.
  struct State {
    std::mutex mutex;
    bool finalized = false;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  Napi::ThreadSafeFunction function_;
  int open_jobs_ = 0;
};

}  // namespace codicil::addon
