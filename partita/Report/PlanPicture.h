//===- PlanPicture.h - what the page of a plan shows ----------------------===//
//
// The figures of a score and beside them what only pictures need: memory over
// time, the timeline, every evaluated strategy, specs of arguments, the machine
// with its links, and collectives by source line. Lists are limited, so that the
// page of a large program stays small.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_PLANPICTURE_H
#define PARTITA_REPORT_PLANPICTURE_H

#include "partita/Analysis/Analysis.h"
#include "partita/Report/FoldedTimeline.h"
#include "partita/Report/MemoryCurve.h"
#include "partita/Report/Score.h"
#include "partita/Report/SearchText.h"
#include "partita/Search/SeedWords.h"

namespace partita::report {

/// What a picture is drawn from. Price and timeline are null without a machine.
struct PictureSource {
  const Plan &plan;
  const Score &score;
  const SearchReport &search;
  /// Of the plan's program.
  const Analysis &analysis;
  /// What made that program of the one that was given.
  const Rewrites &rewrites;
  const Price *price = nullptr;
  const Timeline *timeline = nullptr;
};

/// Arguments or results that differ only in numbers in their names.
struct SpecLine {
  std::string name, kind, type;
  /// `P(None, ('data', 'model'))`.
  std::string spec;
  int64_t count = 0;
  /// All of them together: a device's pieces, and whole.
  int64_t bytes = 0, wholeBytes = 0;
};

/// What is alive at the peak, of one category.
struct MemoryClass {
  std::string category;
  int64_t bytes = 0;
  /// The largest ones.
  std::vector<ScoreAlive> values;
};

/// A level of the machine, and what goes over it.
struct LinkPicture {
  std::string name, kind;
  int64_t size = 0, bytesPerSecond = 0, bytes = 0, busyPs = 0;
  /// The axes that run over it: `data`, `model:4` if it is a part.
  std::vector<std::string> axes;
};

/// The reshards at one source line, and what its ops exchange by themselves.
struct SourceLine {
  std::string loc;
  /// The first ones that differ.
  std::vector<std::string> steps, tactics;
  int64_t values = 0, count = 0, bytes = 0;
  std::optional<int64_t> timePs, exposedPs;
};

struct EvaluatedPoint {
  int64_t timePs = 0, peakBytes = 0;
  auto operator<=>(const EvaluatedPoint &) const = default;
};

/// The strategies that the plan was compared with.
struct RivalsPicture {
  std::vector<Strategy> experts, others;
  /// What the short words in the names of experts' strategies mean.
  std::vector<SeedWord> legend;
  Strategy start;
  std::vector<EvaluatedPoint> evaluated;
  int64_t numEvaluated = 0;
};

struct PlanPicture {
  Score score;
  std::string program, strategy;
  /// What was done to the program, the moves of the search in words, and remarks.
  std::vector<std::string> changes, words, remarks;
  std::vector<SpecLine> specs;
  std::vector<SourceLine> lines;
  // Of a plan on a machine.
  std::vector<MemoryClass> memory;
  std::vector<MemoryPoint> memoryCurve;
  std::optional<FoldedTimeline> timeline;
  std::vector<LinkPicture> links;
  std::vector<MeshAxis> axes;
  /// For each device of the mesh its number in the machine; empty if there are many.
  std::vector<int64_t> deviceOrder;
  std::optional<RivalsPicture> rivals;
  /// The user's own plan, which this one was compared with.
  std::optional<Strategy> baseline;
};

PlanPicture buildPicture(const PictureSource &source);

/// `P(None, ('data', 'model'))`, without the dims that are whole at the end.
std::string printPartitionSpec(const Axes &axes, const Sharding &sharding);

/// Those that differ, at most `maxPoints`: first those that no other beats in both time and memory.
std::vector<EvaluatedPoint> thinPoints(std::vector<EvaluatedPoint> points, size_t maxPoints);

/// Writes a picture as an object.
void writePicture(const PlanPicture &picture, llvm::json::OStream &json);

} // namespace partita::report

#endif
