//===- Campaign.h - runs many random cases and reports them ---------------===//
//
// A campaign runs the cases of consecutive seeds until enough of them count
// (Case.h). Which seeds run, and so the whole report, depends on the first seed
// and the number of cases, never on the number of processes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_CAMPAIGN_H
#define PARTITA_FUZZ_CAMPAIGN_H

#include "partita/Fuzz/Case.h"
#include "partita/Fuzz/Rooms.h"
#include "partita/Support/OptionTable.h"

#include "llvm/Support/raw_ostream.h"

namespace partita::fuzz {

struct CampaignOptions {
  int64_t count = 1000;
  /// The seed of the first case; the others follow.
  int64_t seed = 0;
  int64_t jobs = 2;
  int64_t mostShrunk = 8;
  int64_t emitted = 0;
  int64_t fewestSplits = 0;
  /// If false, local programs must also pass the static check.
  bool noCheck = false;
  std::string folder = "build/fuzz";

  void visitOptions(OptionVisitor &visitor) {
    visitor.integer(
        {"count", "cases", "Random cases to run: as many in which something is split and devices communicate"}, count,
        1, INT64_MAX);
    visitor.integer({"seed", "number", "The first random case; the others follow"}, seed, 0, INT64_MAX);
    visitor.toggle({"no-check", "", "Leaves out the static check of local programs"}, noCheck);
    visitor.integer({"jobs", "processes", "Processes that run cases"}, jobs, 1, 256);
    visitor.integer({"shrink", "cases", "Failing cases to make smaller, at most"}, mostShrunk, 0, INT64_MAX);
    visitor.integer({"emit", "cases", "Random cases to save with their local programs, to be checked by others"},
                    emitted, 0, INT64_MAX);
    visitor.integer(
        {"require-coverage", "times",
         "Fails unless each kind of factor and each class of remainders of each op was split so often; runs up to four "
         "times as many random cases until it was"},
        fewestSplits, 0, INT64_MAX);
    visitor.text({"folder", "path", "Where random cases are saved"}, folder);
  }
};

struct FailedCase {
  uint64_t seed = 0;
  Verdict verdict = Verdict::Wrong;
  std::string reason;
};

struct CampaignReport {
  uint64_t firstSeed = 0;
  int64_t cases = 0, counted = 0, vacuous = 0, rejected = 0;
  int64_t collectives = 0;
  std::map<std::string, int64_t> rejections;
  /// Kinds of splits (Coverage.h), over counted cases.
  std::map<std::string, int64_t> splits;
  /// In order of seeds.
  std::vector<FailedCase> failures;

  void add(uint64_t seed, const CaseOutcome &outcome);
  void print(llvm::raw_ostream &out) const;
};

CampaignReport runCampaign(const CampaignOptions &options, llvm::raw_ostream &progress);

/// Saves `options.emitted` portable cases that count, each in its own folder, with their local programs.
Status emitCases(const CampaignOptions &options, llvm::raw_ostream &progress);

/// Shrinks the first failing cases and saves each in its own folder.
Status saveFailures(const CampaignReport &report, const CampaignOptions &options, llvm::raw_ostream &progress);

} // namespace partita::fuzz

#endif
