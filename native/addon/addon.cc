// The Node-API face of the engine: the only folder that includes napi.h. Exact TypeScript types: API.md beside this file.
//
// Owns: unwrapping arguments, promises, coalescing of text into frames. Leaves everything else to engine.h.
// Threads: engine callbacks come on the driver thread and only post closures through the Door; every napi call is made on the
// JavaScript thread. Rules that must stay true: a promise settles exactly once; the last frame comes before its promise;
// nothing here throws a C++ exception, and no input crashes.

#include <napi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "native/addon/convert.h"
#include "native/addon/door.h"
#include "native/device/machine.h"
#include "native/device/telemetry.h"
#include "native/engine/engine.h"

namespace codicil::addon {

namespace {

// A frame lasts one picture of a 60 Hz screen: more of them could not be seen.
constexpr std::chrono::milliseconds kFrame{16};

// The stop of every engine of an environment, opening ones too. A process that ends joins the threads that open models before anything else is
// cleaned up, hooks of the environment too, so its `exit` event sets them.
class Stops {
 public:
  std::shared_ptr<std::atomic<bool>> add() {
    std::erase_if(stops_, [](const auto& stop) { return stop.expired(); });
    auto stop = std::make_shared<std::atomic<bool>>(false);
    stops_.push_back(stop);
    return stop;
  }
  void set_all() {
    for (const auto& weak : stops_)
      if (const auto stop = weak.lock()) *stop = true;
  }

 private:
  std::vector<std::weak_ptr<std::atomic<bool>>> stops_;
};

struct Classes {
  Napi::FunctionReference engine, session;
  std::shared_ptr<Stops> stops = std::make_shared<Stops>();
};

// What an Engine object and its sessions share.
struct Shared {
  std::shared_ptr<Door> door;
  std::unique_ptr<Engine> engine;  // null: closed
  std::string path;
};

Status closed_engine() { return Status(Code::engine_down, "expected an open engine, found that it was closed: open it again"); }
Status closed_session() { return Status(Code::invalid_request, "expected an open session, found that it was closed: open another"); }

Napi::Value reject(Napi::Env env, const Status& status) {
  const Napi::Promise::Deferred deferred = Napi::Promise::Deferred::New(env);
  deferred.Reject(to_error(env, status).Value());
  return deferred.Promise();
}

void throw_status(Napi::Env env, const Status& status) { to_error(env, status).ThrowAsJavaScriptException(); }

// One job as JavaScript sees it: a promise and perhaps a callback. Made and destroyed on the JavaScript thread.
struct Pending {
  Pending(Napi::Env env, std::shared_ptr<Shared> shared_in, const Napi::Value& callback_in)
      : deferred(Napi::Promise::Deferred::New(env)), shared(std::move(shared_in)) {
    if (callback_in.IsFunction()) callback = Napi::Persistent(callback_in.As<Napi::Function>());
    shared->door->begin(env);
  }
  template <typename Make>
  void settle(Napi::Env env, const Status& status, Make make) {
    if (status.ok())
      deferred.Resolve(make());
    else
      deferred.Reject(to_error(env, status).Value());
    callback.Reset();
    shared->door->end(env);
  }
  void call(std::initializer_list<napi_value> arguments, Napi::Env env) {
    if (callback.IsEmpty()) return;
    callback.Call(arguments);
    // A callback that throws is the caller's fault; it must not take the promise with it. Node reports it as uncaught.
    if (env.IsExceptionPending()) napi_fatal_exception(env, env.GetAndClearPendingException().Value());
  }
  Napi::Promise::Deferred deferred;
  Napi::FunctionReference callback;
  std::shared_ptr<Shared> shared;

  // Text on its way, between the two threads.
  std::mutex mutex;
  std::vector<Token> tokens;
  std::string text;
  std::chrono::steady_clock::time_point last_frame{};
};

// Closures are copied inside std::function, so a Pending is held by a shared pointer; its last holder is always a closure that runs
// (or is dropped) on the JavaScript thread, because `done` posts the one that settles.
using PendingPointer = std::shared_ptr<Pending>;

void send_frame(Napi::Env env, Pending& pending) {
  std::vector<Token> tokens;
  std::string text;
  {
    const std::scoped_lock lock(pending.mutex);
    tokens.swap(pending.tokens);
    text.swap(pending.text);
  }
  if (pending.callback.IsEmpty() || (tokens.empty() && text.empty())) return;
  Napi::Object frame = Napi::Object::New(env);
  frame.Set("tokens", to_tokens(env, tokens));
  frame.Set("text", text);
  pending.call({frame}, env);
}

class SessionObject : public Napi::ObjectWrap<SessionObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Session",
                       {InstanceMethod<&SessionObject::sync>("sync"), InstanceMethod<&SessionObject::generate>("generate"),
                        InstanceMethod<&SessionObject::offer_mask>("offerMask"), InstanceMethod<&SessionObject::score>("score"),
                        InstanceMethod<&SessionObject::fork>("fork"), InstanceMethod<&SessionObject::cancel>("cancel"),
                        InstanceMethod<&SessionObject::tokens>("tokens"), InstanceMethod<&SessionObject::close>("close")});
  }
  explicit SessionObject(const Napi::CallbackInfo& info) : Napi::ObjectWrap<SessionObject>(info) {}

  static Napi::Value make(Napi::Env env, std::shared_ptr<Shared> shared, std::unique_ptr<Session> session) {
    const Napi::Object object = env.GetInstanceData<Classes>()->session.New({});
    SessionObject* self = Unwrap(object);
    self->shared_ = std::move(shared);
    self->session_ = std::move(session);
    return object;
  }

 private:
  Status usable() const {
    if (session_ == nullptr) return closed_session();
    return shared_->engine == nullptr ? closed_engine() : Status();
  }

  Napi::Value sync(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    if (Status status = usable(); !status.ok()) return reject(env, status);
    Result<std::vector<Token>> prefix = read_tokens(info[0], "prefix");
    if (!prefix.ok()) return reject(env, prefix.status());
    Result<SyncOptions> options = read_sync_options(info[2]);
    if (!options.ok()) return reject(env, options.status());
    auto pending = std::make_shared<Pending>(env, shared_, info[1]);
    const std::shared_ptr<Door> door = shared_->door;
    std::function<void(SyncProgress)> on_progress;
    if (!pending->callback.IsEmpty()) {
      on_progress = [door, weak = std::weak_ptr<Pending>(pending)](SyncProgress progress) {
        door->post([weak, progress](Napi::Env in) {
          if (const PendingPointer job = weak.lock()) {
            job->call(
                {Napi::Number::New(in, static_cast<double>(progress.done_tokens)), Napi::Number::New(in, static_cast<double>(progress.total_tokens))},
                in);
          }
        });
      };
    }
    const Napi::Promise promise = pending->deferred.Promise();
    const auto done = [door, held = hold(std::move(pending))](Result<SyncReport> report) mutable {
      door->post([job = held->take(), report = std::move(report)](Napi::Env in) {
        job->settle(in, report.ok() ? Status() : report.status(), [&]() -> Napi::Value { return to_object(in, report.value()); });
      });
    };
    session_->sync(std::move(prefix).value(), std::move(options).value(), std::move(on_progress), done);
    return promise;
  }

  Napi::Value generate(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    if (Status status = usable(); !status.ok()) return reject(env, status);
    Result<GenerateOptions> options = read_generate_options(info[0]);
    if (!options.ok()) return reject(env, options.status());
    auto pending = std::make_shared<Pending>(env, shared_, info[1]);
    const std::shared_ptr<Door> door = shared_->door;
    std::function<void(Token, std::string_view)> on_text;
    if (!pending->callback.IsEmpty()) {
      // Who computes masks step by step needs each token at once.
      const auto pause = options.value().step_masks ? std::chrono::milliseconds(0) : kFrame;
      on_text = [door, pause, weak = std::weak_ptr<Pending>(pending)](Token token, std::string_view text) {
        const PendingPointer job = weak.lock();  // alive: the settling closure is posted after this call
        if (!job) return;
        {
          const std::scoped_lock lock(job->mutex);
          if (token >= 0) job->tokens.push_back(token);
          job->text += text;
          const auto now = std::chrono::steady_clock::now();
          if (now - job->last_frame < pause) return;
          job->last_frame = now;
        }
        door->post([weak](Napi::Env in) {
          if (const PendingPointer later = weak.lock()) send_frame(in, *later);
        });
      };
    }
    const Napi::Promise promise = pending->deferred.Promise();
    session_->generate(std::move(options).value(), std::move(on_text), [door, held = hold(std::move(pending))](Result<Generated> result) mutable {
      door->post([job = held->take(), result = std::move(result)](Napi::Env in) {
        send_frame(in, *job);
        job->settle(in, result.ok() ? Status() : result.status(), [&]() -> Napi::Value { return to_object(in, result.value()); });
      });
    });
    return promise;
  }

  void offer_mask(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    if (Status status = usable(); !status.ok()) return throw_status(env, status);
    Result<std::vector<std::uint32_t>> bits = read_bits(info[1], "bits");
    if (!bits.ok()) return throw_status(env, bits.status());
    if (!info[0].IsNumber()) return throw_status(env, wrong_argument("a number", "step"));
    session_->offer_mask(info[0].As<Napi::Number>().Int64Value(), std::move(bits).value());
  }

  Napi::Value score(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    if (Status status = usable(); !status.ok()) return reject(env, status);
    Result<std::vector<Token>> continuation = read_tokens(info[0], "continuation");
    if (!continuation.ok()) return reject(env, continuation.status());
    auto pending = std::make_shared<Pending>(env, shared_, env.Undefined());
    const std::shared_ptr<Door> door = shared_->door;
    const Napi::Promise promise = pending->deferred.Promise();
    session_->score(std::move(continuation).value(), [door, held = hold(std::move(pending))](Result<std::vector<double>> scores) mutable {
      door->post([job = held->take(), scores = std::move(scores)](Napi::Env in) {
        job->settle(in, scores.ok() ? Status() : scores.status(), [&]() -> Napi::Value { return to_doubles(in, scores.value()); });
      });
    });
    return promise;
  }

  Napi::Value fork(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    Status status = usable();
    if (status.ok()) {
      Result<std::unique_ptr<Session>> copy = session_->fork();
      if (copy.ok()) return make(env, shared_, std::move(copy).value());
      status = copy.status();
    }
    throw_status(env, status);
    return env.Undefined();
  }

  void cancel(const Napi::CallbackInfo&) {
    if (session_ != nullptr) session_->cancel();
  }
  Napi::Value tokens(const Napi::CallbackInfo& info) {
    return Napi::Number::New(info.Env(), session_ == nullptr ? 0.0 : static_cast<double>(session_->tokens()));
  }
  void close(const Napi::CallbackInfo&) { session_.reset(); }

  // The engine's `done` is copied with its captures on other threads; what it captures must not end a Pending there. The holder gives its
  // Pending to the posted closure, which the Door destroys on the JavaScript thread.
  struct Holder {
    PendingPointer pending;
    PendingPointer take() { return std::move(pending); }
  };
  static std::shared_ptr<Holder> hold(PendingPointer pending) { return std::make_shared<Holder>(Holder{std::move(pending)}); }

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Session> session_;  // null: closed. After shared_: it goes first
};

class EngineObject : public Napi::ObjectWrap<EngineObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Engine",
                       {InstanceMethod<&EngineObject::model>("model"), InstanceMethod<&EngineObject::tokenize>("tokenize"),
                        InstanceMethod<&EngineObject::detokenize>("detokenize"), InstanceMethod<&EngineObject::open_session>("openSession"),
                        InstanceMethod<&EngineObject::stats>("stats"), InstanceMethod<&EngineObject::known>("known"),
                        InstanceMethod<&EngineObject::forget>("forget"), InstanceMethod<&EngineObject::close>("close")});
  }
  explicit EngineObject(const Napi::CallbackInfo& info) : Napi::ObjectWrap<EngineObject>(info) {}

  static Napi::Value make(Napi::Env env, std::shared_ptr<Shared> shared) {
    const Napi::Object object = env.GetInstanceData<Classes>()->engine.New({});
    Unwrap(object)->shared_ = std::move(shared);
    return object;
  }

 private:
  bool closed(Napi::Env env) const {
    if (shared_ != nullptr && shared_->engine != nullptr) return false;
    throw_status(env, closed_engine());
    return true;
  }
  Napi::Value model(const Napi::CallbackInfo& info) {
    if (closed(info.Env())) return info.Env().Undefined();
    return to_object(info.Env(), shared_->engine->model(), shared_->path);
  }
  Napi::Value tokenize(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    if (closed(env)) return env.Undefined();
    if (!info[0].IsString() || !info[1].IsBoolean()) {
      throw_status(env, wrong_argument("a string and a boolean", "tokenize"));
      return env.Undefined();
    }
    Result<std::vector<Token>> tokens = shared_->engine->tokenize(info[0].As<Napi::String>().Utf8Value(), info[1].As<Napi::Boolean>().Value());
    if (tokens.ok()) return to_tokens(env, tokens.value());
    throw_status(env, tokens.status());
    return env.Undefined();
  }
  Napi::Value detokenize(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    if (closed(env)) return env.Undefined();
    Result<std::vector<Token>> tokens = read_tokens(info[0], "tokens");
    if (tokens.ok()) return Napi::String::New(env, shared_->engine->detokenize(tokens.value()));
    throw_status(env, tokens.status());
    return env.Undefined();
  }
  Napi::Value open_session(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    if (closed(env)) return env.Undefined();
    Result<std::unique_ptr<Session>> session = shared_->engine->open_session();
    if (session.ok()) return SessionObject::make(env, shared_, std::move(session).value());
    throw_status(env, session.status());
    return env.Undefined();
  }
  Napi::Value stats(const Napi::CallbackInfo& info) {
    if (closed(info.Env())) return info.Env().Undefined();
    return to_object(info.Env(), shared_->engine->stats());
  }
  Napi::Value known(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    if (closed(env)) return env.Undefined();
    Result<std::vector<Token>> prefix = read_tokens(info[0], "prefix");
    if (prefix.ok()) return Napi::Number::New(env, static_cast<double>(shared_->engine->known(prefix.value())));
    throw_status(env, prefix.status());
    return env.Undefined();
  }
  Napi::Value forget(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    if (closed(env)) return env.Undefined();
    Result<kv::Forgotten> gone = shared_->engine->forget(info[0].IsString() ? info[0].As<Napi::String>().Utf8Value() : std::string());
    if (gone.ok()) return to_object(env, gone.value());
    throw_status(env, gone.status());
    return env.Undefined();
  }
  void close(const Napi::CallbackInfo&) {
    if (shared_ != nullptr) shared_->engine.reset();
  }
  std::shared_ptr<Shared> shared_;
};

// --- what runs on a thread of its own ----------------------------------------------------------------------------------------------

class OpenWork : public Napi::AsyncWorker {
 public:
  OpenWork(Napi::Env env, EngineOptions options, const Napi::Value& on_progress)
      : Napi::AsyncWorker(env),
        options_(std::move(options)),
        pending_(std::make_shared<Pending>(env, share(env, options_.model_path), on_progress)) {}
  Napi::Promise promise() const { return pending_->deferred.Promise(); }
  void Execute() override {
    std::function<void(double)> progress;
    if (!pending_->callback.IsEmpty()) {
      progress = [door = pending_->shared->door, weak = std::weak_ptr<Pending>(pending_)](double share_done) {
        door->post([weak, share_done](Napi::Env in) {
          if (const PendingPointer job = weak.lock()) job->call({Napi::Number::New(in, share_done)}, in);
        });
      };
    }
    result_.emplace(Engine::open(options_, std::move(progress)));
  }
  void OnOK() override {
    const Napi::Env env = Env();
    const std::shared_ptr<Shared> shared = pending_->shared;
    if (result_->ok()) shared->engine = std::move(*result_).value();
    pending_->settle(env, result_->ok() ? Status() : result_->status(), [&] { return EngineObject::make(env, shared); });
  }

 private:
  static std::shared_ptr<Shared> share(Napi::Env env, const std::string& path) {
    auto shared = std::make_shared<Shared>();
    shared->door = Door::open(env);
    shared->path = path;
    return shared;
  }
  EngineOptions options_;
  PendingPointer pending_;
  std::optional<Result<std::unique_ptr<Engine>>> result_;
};

// A question about a file: computed off the JavaScript thread, answered with one object.
template <typename T>
class AskWork : public Napi::AsyncWorker {
 public:
  AskWork(Napi::Env env, std::function<Result<T>()> ask, std::function<Napi::Value(Napi::Env, const T&)> show)
      : Napi::AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)), ask_(std::move(ask)), show_(std::move(show)) {}
  Napi::Promise promise() const { return deferred_.Promise(); }
  void Execute() override { result_.emplace(ask_()); }
  void OnOK() override {
    if (result_->ok())
      deferred_.Resolve(show_(Env(), result_->value()));
    else
      deferred_.Reject(to_error(Env(), result_->status()).Value());
  }

 private:
  Napi::Promise::Deferred deferred_;
  std::function<Result<T>()> ask_;
  std::function<Napi::Value(Napi::Env, const T&)> show_;
  std::optional<Result<T>> result_;
};

template <typename Work>
Napi::Value start(Work* work) {
  const Napi::Promise promise = work->promise();
  work->Queue();  // deletes itself after OnOK
  return promise;
}

Napi::Value open(const Napi::CallbackInfo& info) {
  Result<EngineOptions> options = read_open_options(info[0]);
  if (!options.ok()) return reject(info.Env(), options.status());
  options.value().stop = info.Env().GetInstanceData<Classes>()->stops->add();
  return start(new OpenWork(info.Env(), std::move(options).value(), info[1]));
}

Napi::Value inspect(const Napi::CallbackInfo& info) {
  if (!info[0].IsString()) return reject(info.Env(), wrong_argument("a path", "inspect"));
  const std::string path = info[0].As<Napi::String>().Utf8Value();
  return start(new AskWork<ModelInfo>(
      info.Env(), [path] { return Engine::inspect(path); }, [path](Napi::Env env, const ModelInfo& m) { return to_object(env, m, path); }));
}

Napi::Value plan(const Napi::CallbackInfo& info) {
  Result<EngineOptions> options = read_open_options(info[0]);
  if (!options.ok()) return reject(info.Env(), options.status());
  return start(new AskWork<Plan>(
      info.Env(), [o = std::move(options).value()] { return Engine::plan(o); }, [](Napi::Env env, const Plan& p) { return to_object(env, p); }));
}

Napi::Value list_stored(const Napi::CallbackInfo& info) {
  if (!info[0].IsString()) return reject(info.Env(), wrong_argument("a folder", "listStored"));
  return start(new AskWork<kv::Stored>(
      info.Env(), [folder = info[0].As<Napi::String>().Utf8Value()] { return Engine::list_stored(folder); },
      [](Napi::Env env, const kv::Stored& stored) { return to_object(env, stored); }));
}

Napi::Value forget_stored(const Napi::CallbackInfo& info) {
  if (!info[0].IsString() || !info[1].IsString()) return reject(info.Env(), wrong_argument("a folder and an owner", "forgetStored"));
  return start(new AskWork<kv::Forgotten>(
      info.Env(),
      [folder = info[0].As<Napi::String>().Utf8Value(), owner = info[1].As<Napi::String>().Utf8Value()] {
        return Engine::forget_stored(folder, owner);
      },
      [](Napi::Env env, const kv::Forgotten& gone) { return to_object(env, gone); }));
}

Napi::Value clear_stored(const Napi::CallbackInfo& info) {
  if (!info[0].IsString()) return reject(info.Env(), wrong_argument("a folder", "clearStored"));
  return start(new AskWork<kv::Forgotten>(
      info.Env(), [folder = info[0].As<Napi::String>().Utf8Value()] { return Engine::clear_stored(folder); },
      [](Napi::Env env, const kv::Forgotten& gone) { return to_object(env, gone); }));
}

Napi::Value machine(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const device::Machine m = device::read_machine();
  Napi::Object out = Napi::Object::New(env);
  out.Set("cpu", m.cpu);
  out.Set("cores", m.physical_cores);
  out.Set("memoryTotalBytes", static_cast<double>(m.memory_total_bytes));
  out.Set("memoryFreeBytes", static_cast<double>(m.memory_available_bytes));
  out.Set("cpuCelsius", m.cpu_celsius ? Napi::Value(Napi::Number::New(env, *m.cpu_celsius)) : env.Null());
  // Opened once, at the first call, and left open: the driver takes up to a second to start.
  static const std::unique_ptr<device::Nvml> nvml = device::gpu_may_sleep() ? nullptr : device::Nvml::load();
  const std::vector<device::GpuReading> gpus = nvml ? nvml->read() : std::vector<device::GpuReading>();
  Napi::Array list = Napi::Array::New(env, gpus.size());
  for (std::uint32_t i = 0; i < gpus.size(); ++i) list.Set(i, to_object(env, gpus[i]));
  out.Set("gpus", list);
  return out;
}

// For a process that is ending: joins in close() and in the destructors of exit() hold up the JavaScript thread, so no timer of it can do this. What
// is on disk bears it at any instant (native/kv/FORMAT.md).
void end_within(const Napi::CallbackInfo& info) {
  const std::int64_t ms = info[0].IsNumber() ? info[0].As<Napi::Number>().Int64Value() : -1;
  if (ms < 0) return throw_status(info.Env(), wrong_argument("a number of milliseconds", "endWithin"));
  std::thread([ms] {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    std::fputs("The engine was expected to close by itself and did not: its process is ended. What was read and written is kept.\n", stderr);
    std::_Exit(1);
  }).detach();
}

Napi::Object initialize(Napi::Env env, Napi::Object exports) {
  auto* classes = new Classes();
  classes->engine = Napi::Persistent(EngineObject::define(env));
  classes->session = Napi::Persistent(SessionObject::define(env));
  env.SetInstanceData(classes);
  const Napi::Object process = env.Global().Get("process").As<Napi::Object>();
  const auto on_exit = [stops = classes->stops](const Napi::CallbackInfo&) { stops->set_all(); };
  process.Get("on").As<Napi::Function>().Call(process, {Napi::String::New(env, "exit"), Napi::Function::New(env, on_exit, "stopEngines")});
  exports.Set("open", Napi::Function::New(env, open, "open"));
  exports.Set("inspect", Napi::Function::New(env, inspect, "inspect"));
  exports.Set("plan", Napi::Function::New(env, plan, "plan"));
  exports.Set("listStored", Napi::Function::New(env, list_stored, "listStored"));
  exports.Set("forgetStored", Napi::Function::New(env, forget_stored, "forgetStored"));
  exports.Set("clearStored", Napi::Function::New(env, clear_stored, "clearStored"));
  exports.Set("machine", Napi::Function::New(env, machine, "machine"));
  exports.Set("endWithin", Napi::Function::New(env, end_within, "endWithin"));
  return exports;
}

}  // namespace

NODE_API_MODULE(codicil, initialize)

}  // namespace codicil::addon
