//===- Children.cpp - runs cases in child processes -----------------------===//

#include "partita/Fuzz/Children.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace partita::fuzz {

//===----------------------------------------------------------------------===//
// Outcomes as lines: verdict, collectives, reason, splits; tabs between them
//===----------------------------------------------------------------------===//

static std::string printLine(const CaseOutcome &outcome) {
  std::string reason = outcome.reason;
  for (char &c : reason)
    if (c == '\n' || c == '\t')
      c = ' ';
  std::string line;
  llvm::raw_string_ostream out(line);
  out << static_cast<int>(outcome.verdict) << "\t" << outcome.collectives << "\t" << reason << "\t";
  for (const auto &[name, count] : outcome.splits)
    out << name << "=" << count << ";";
  out << "\n";
  return line;
}

static CaseOutcome parseLine(llvm::StringRef line) {
  CaseOutcome outcome;
  llvm::SmallVector<llvm::StringRef> parts, splits;
  line.split(parts, '\t');
  int verdict = static_cast<int>(Verdict::Crashed);
  if (parts.size() != 4 || parts[0].getAsInteger(10, verdict) || parts[1].getAsInteger(10, outcome.collectives)) {
    outcome.verdict = Verdict::Crashed;
    outcome.reason = "the child's report is broken";
    return outcome;
  }
  outcome.verdict = static_cast<Verdict>(verdict);
  outcome.reason = parts[2].str();
  parts[3].split(splits, ';', -1, false);
  for (llvm::StringRef split : splits) {
    auto [name, count] = split.rsplit('=');
    count.getAsInteger(10, outcome.splits[name.str()]);
  }
  return outcome;
}

//===----------------------------------------------------------------------===//
// Children
//===----------------------------------------------------------------------===//

namespace {

/// A child that works on every `stride`-th seed.
struct Child {
  pid_t pid = -1;
  std::FILE *report = nullptr;
  /// Position of its next case.
  int64_t position = 0;
};

} // namespace

/// Prepares a new child process.
static void settleDown() {
  rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  // What libraries print when they die adds nothing to the signal.
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF})
    std::signal(signal, SIG_DFL);
}

/// Limits the processor time of this process from now on.
static void limitTime(unsigned seconds) {
  itimerval limit{{0, 0}, {static_cast<time_t>(seconds), 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

static void writeAll(std::FILE *file, llvm::StringRef text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

[[noreturn]] static void work(std::FILE *report, uint64_t first, int64_t position, int64_t count, int64_t stride,
                              RunSeed run) {
  settleDown();
  std::unique_ptr<mlir::MLIRContext> context = makeFuzzContext();
  for (; position < count; position += stride) {
    limitTime(mostSecondsPerCase);
    writeAll(report, printLine(run(first + position, *context)));
  }
  _exit(0);
}

static pid_t start(llvm::function_ref<void()> run) {
  llvm::outs().flush();
  llvm::errs().flush();
  std::fflush(nullptr);
  pid_t pid = fork();
  if (pid == 0)
    run();
  return pid;
}

/// Waits for a child. Says why it died, or nothing.
static std::string await(pid_t pid) {
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return "the child was lost";
  if (pid <= 0)
    return "no child could be started";
  if (WIFEXITED(status))
    return WEXITSTATUS(status) == 0 ? "" : "exit code " + std::to_string(WEXITSTATUS(status));
  return WTERMSIG(status) == SIGPROF ? "it does not end" : strsignal(WTERMSIG(status));
}

static std::string readReport(std::FILE *report) {
  std::string text;
  if (std::fseek(report, 0, SEEK_SET) != 0) {
    std::fclose(report);
    return text;
  }
  char buffer[1 << 16];
  while (size_t size = std::fread(buffer, 1, sizeof buffer, report))
    text.append(buffer, size);
  std::fclose(report);
  return text;
}

std::vector<CaseOutcome> runSeeds(uint64_t first, int64_t count, int64_t jobs, RunSeed run) {
  std::vector<CaseOutcome> outcomes(count);
  std::vector<Child> children;
  auto launch = [&](int64_t position) {
    Child child{-1, std::tmpfile(), position};
    if (child.report)
      child.pid = start([&] { work(child.report, first, position, count, jobs, run); });
    children.push_back(child);
  };
  for (int64_t job = 0; job < jobs && job < count; ++job)
    launch(job);
  // If a child died, a new one continues after the case that killed it.
  // NOLINTNEXTLINE(modernize-loop-convert): the list grows.
  for (size_t i = 0; i < children.size(); ++i) {
    std::string death = await(children[i].pid);
    llvm::SmallVector<llvm::StringRef> lines;
    std::string text = children[i].report ? readReport(children[i].report) : "";
    llvm::StringRef(text).split(lines, '\n', -1, false);
    int64_t position = children[i].position;
    for (llvm::StringRef line : lines) {
      outcomes[position] = parseLine(line);
      position += jobs;
    }
    if (position >= count)
      continue;
    outcomes[position] = {Verdict::Crashed, death.empty() ? "ended early" : death, {}, 0};
    if (position + jobs < count)
      launch(position + jobs);
  }
  return outcomes;
}

CaseOutcome runInChild(llvm::function_ref<CaseOutcome()> run, unsigned mostSeconds) {
  std::FILE *report = std::tmpfile();
  pid_t pid = start([&] {
    settleDown();
    limitTime(mostSeconds);
    writeAll(report, printLine(run()));
    _exit(0);
  });
  std::string death = await(pid);
  std::string text = readReport(report);
  if (!death.empty())
    return {Verdict::Crashed, death, {}, 0};
  return parseLine(llvm::StringRef(text).rtrim('\n'));
}

} // namespace partita::fuzz
