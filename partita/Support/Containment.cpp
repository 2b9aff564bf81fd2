//===- Containment.cpp - turns a crash of the work into an error message --===//

#include "partita/Support/Containment.h"

#include "partita/Support/AtomicFile.h"
#include "partita/Support/Heap.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

namespace partita {

namespace {

constexpr size_t activityBytes = 512;
constexpr unsigned largeStackBytes = 1u << 30;

/// Shared between parent and child while work is contained. This is the one piece of global state: a dying process has
/// no other way to report.
char *sharedActivity = nullptr;

} // namespace

void setActivity(llvm::StringRef activity) {
  if (!sharedActivity)
    return;
  size_t length = std::min(activity.size(), activityBytes - 1);
  std::memcpy(sharedActivity, activity.data(), length);
  sharedActivity[length] = '\0';
}

#if LLVM_ADDRESS_SANITIZER_BUILD || LLVM_THREAD_SANITIZER_BUILD || LLVM_MEMORY_SANITIZER_BUILD

// Sanitizers know the stacks of threads, but must be told of stacks made by hand.
int runOnLargeStack(llvm::function_ref<int()> work) {
  int code = 0;
  llvm::thread worker(std::optional<unsigned>(largeStackBytes), [&] { code = work(); });
  worker.join();
  return code;
}

#else

namespace {

struct StackedWork {
  llvm::function_ref<int()> work;
  int code = 0;
};

} // namespace

/// `makecontext` passes only integers: here the two halves of an address.
static void enterStack(unsigned high, unsigned low) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it was an address
  auto *stacked = reinterpret_cast<StackedWork *>(uintptr_t(high) << 32 | low);
  stacked->code = stacked->work();
}

// Uses no second thread: the C library is faster in a process with one thread, and allocates from the main heap.
int runOnLargeStack(llvm::function_ref<int()> work) {
  void *stack = mmap(nullptr, largeStackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED)
    return work();
  // Stacks grow downwards; a guard page catches what runs over the end of this one.
  constexpr unsigned guardBytes = 1u << 16;
  mprotect(stack, guardBytes, PROT_NONE);
  StackedWork stacked{work};
  ucontext_t inside, outside;
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = largeStackBytes;
  inside.uc_link = &outside;
  auto address = reinterpret_cast<uintptr_t>(&stacked);
  makecontext(&inside, reinterpret_cast<void (*)()>(enterStack), 2, unsigned(address >> 32), unsigned(address));
  swapcontext(&outside, &inside);
  munmap(stack, largeStackBytes);
  return stacked.code;
}

#endif

/// A name that depends only on the inputs and the command.
static std::string nameReproducer(llvm::ArrayRef<std::string> command, llvm::ArrayRef<FileToWrite> files) {
  llvm::SHA256 hash;
  for (const std::string &word : command)
    hash.update(word);
  for (const FileToWrite &file : files)
    hash.update(file.contents);
  return "partita-crash-" + llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 12);
}

static std::string saveReproducer(llvm::ArrayRef<std::string> command, llvm::ArrayRef<std::string> inputs,
                                  llvm::StringRef folder, llvm::StringRef activity) {
  std::vector<FileToWrite> files;
  for (const std::string &input : inputs)
    if (auto buffer = llvm::MemoryBuffer::getFile(input))
      files.push_back({llvm::sys::path::filename(input).str(), (*buffer)->getBuffer().str()});
  std::string name = nameReproducer(command, files);
  files.push_back({"command.txt", llvm::join(command, " ") + "\nwhile " + activity.str() + "\n"});
  for (FileToWrite &file : files)
    file.path = (folder + "/" + name + "/" + file.path).str();
  if (Status error = writeFilesTogether(files))
    return "no reproducer could be saved (" + error->reason + ")";
  return "a reproducer was saved in " + (folder + "/" + name).str();
}

void endWithCaller(int64_t caller) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != caller)
    _exit(static_cast<int>(ExitCode::Interrupted));
}

/// In the child: runs the work, flushes, and exits without the parent's exit handlers.
[[noreturn]] static void runChild(llvm::function_ref<int()> work, pid_t parent) {
  // When somebody kills the parent, the child ends too.
  endWithCaller(parent);
  // The parent reports the crash; a core file of gigabytes would help nobody.
  rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  // A closed pipe is a write error, not a crash.
  std::signal(SIGPIPE, SIG_IGN);
  prepareHeap();
  int code = finishOutput(runOnLargeStack(work));
  llvm::errs().flush();
  std::fflush(nullptr);
  _exit(code);
}

static volatile pid_t forwardedTo = 0;

/// An interrupt from the terminal reaches the child directly; this passes on one that was sent to the parent alone.
static void forwardInterrupt(int, siginfo_t *info, void *) {
  if (info->si_code == SI_USER && forwardedTo > 0)
    kill(forwardedTo, SIGINT);
}

Contained runContained(llvm::function_ref<int()> work, llvm::ArrayRef<std::string> command,
                       llvm::ArrayRef<std::string> inputs, llvm::StringRef reproducerFolder) {
  void *shared = mmap(nullptr, activityBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared != MAP_FAILED)
    sharedActivity = static_cast<char *>(shared);
  setActivity("starting");
  llvm::outs().flush();
  llvm::errs().flush();
  std::fflush(nullptr);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0)
    runChild(work, parent);
  // The child decides how to react to an interrupt.
  forwardedTo = child;
  struct sigaction forward = {}, previous = {};
  forward.sa_sigaction = forwardInterrupt;
  forward.sa_flags = SA_SIGINFO;
  sigaction(SIGINT, &forward, &previous);
  int status = 0;
  bool waited = child > 0;
  while (waited && waitpid(child, &status, 0) < 0)
    waited = errno == EINTR;
  sigaction(SIGINT, &previous, nullptr);
  forwardedTo = 0;
  std::string activity = sharedActivity ? sharedActivity : "unknown";
  sharedActivity = nullptr;
  if (shared != MAP_FAILED)
    munmap(shared, activityBytes);
  if (waited && WIFEXITED(status))
    return {WEXITSTATUS(status), ""};
  if (waited && WTERMSIG(status) == SIGINT)
    return {static_cast<int>(ExitCode::Interrupted), ""};
  std::string cause = waited ? strsignal(WTERMSIG(status)) : "no child process could be started";
  return {static_cast<int>(ExitCode::Internal), "partita: internal error: " + cause + " while " + activity + "; " +
                                                    saveReproducer(command, inputs, reproducerFolder, activity)};
}

} // namespace partita
