//===- RewriteText.cpp - what tactics did to the program, as text and JSON ===//

#include "partita/Report/RewriteText.h"

#include "partita/Report/PaddingText.h"
#include "partita/Report/Units.h"
#include "partita/Support/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

namespace partita::report {

/// Sizes of rewrites are those of the program, whose tensors are whole.
static std::string printWhole(int64_t bytes) { return "(" + printBytes(bytes) + " before it is split)"; }

static std::vector<std::string> describeAccumulated(const Accumulated &accumulated) {
  std::vector<std::string> lines(1);
  llvm::raw_string_ostream out(lines.front());
  out << "microbatches: a loop of " << countWord(accumulated.numOps, "op") << " runs " << accumulated.count
      << " times and adds up " << countWord(accumulated.numSums, "value") << " " << printWhole(accumulated.sumBytes);
  if (accumulated.numCollected > 0)
    out << "; it collects the rows of " << accumulated.numCollected << " " << printWhole(accumulated.collectedBytes);
  if (accumulated.numLoops > 1)
    lines.push_back("before it, " + countWord(accumulated.numEarlyOps, "op") + " in " +
                    countWord(accumulated.numLoops - 1, "loop") + " compute what microbatches need of the whole batch");
  return lines;
}

static void writeAccumulated(const Accumulated &accumulated, llvm::json::OStream &json) {
  json.attribute("microbatches", accumulated.count);
  json.attribute("loops", accumulated.numLoops);
  json.attribute("ops", accumulated.numOps);
  json.attribute("early_ops", accumulated.numEarlyOps);
  json.attribute("sums", accumulated.numSums);
  json.attribute("sum_bytes", accumulated.sumBytes);
  json.attribute("narrow_sums", accumulated.numNarrowSums);
  json.attribute("collected", accumulated.numCollected);
  json.attribute("collected_bytes", accumulated.collectedBytes);
}

static void warnOfNarrowSums(const Accumulated &accumulated) {
  if (accumulated.numNarrowSums == 0)
    return;
  llvm::errs() << "partita: warning: " << accumulated.numNarrowSums << " sums over the microbatches are kept in "
               << accumulated.narrowType
               << ", as the program computes them; \"accumulate_type\": \"f32\" in the tactic "
               << "keeps them in f32\n";
}

/// A microbatch has every count-th row. If the axes on the batch do not divide its rows, those of one device are not
/// all its own.
static void warnOfRows(const Accumulated &accumulated, const Plan &plan) {
  const Graph &graph = plan.getGraph();
  for (auto [number, dim] : accumulated.cutArguments) {
    CellId cell = graph.arguments[number];
    int64_t rows = graph.getShape(cell)[dim], pieces = 1;
    Sharding sharding = plan.assignment.getCellSharding(cell);
    for (AxisId axis : sharding.dims[dim])
      pieces *= plan.axes[axis].size;
    if (rows % (pieces * accumulated.count) == 0)
      continue;
    llvm::errs() << "partita: warning: a microbatch has " << rows / accumulated.count << " rows of "
                 << plan.program.names.getName(cell) << ", which " << pieces
                 << " devices cannot share evenly: they exchange rows, or compute some of them twice\n";
    return;
  }
}

void warnOfRewrites(const Rewrites &rewrites, const Plan &plan) {
  if (!rewrites.accumulated)
    return;
  warnOfNarrowSums(*rewrites.accumulated);
  warnOfRows(*rewrites.accumulated, plan);
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

/// `pipeline of 4 stages in 8 microbatches`.
static std::string summarizePipelined(const Pipelined &pipelined) {
  return "pipeline of " + countWord(pipelined.stages, "stage") + " in " + std::to_string(pipelined.microbatches) +
         " microbatches" + (pipelined.repeats > 1 ? ", " + std::to_string(pipelined.repeats) + " times around" : "");
}

static std::string describePipelined(const Pipelined &pipelined) {
  int64_t ticks = pipelined.countTicks();
  std::string text;
  llvm::raw_string_ostream out(text);
  bool areEqual = llvm::all_equal(pipelined.layers);
  int64_t layers = *llvm::min_element(pipelined.layers) - (areEqual ? pipelined.idle : 0);
  out << "pipeline: " << countWord(pipelined.layers.size(), "loop") << " over " << (areEqual ? "" : "at least ")
      << layers;
  if (areEqual && pipelined.peeled > 0)
    out << " of " << layers + pipelined.peeled;
  out << " layers " << (pipelined.layers.size() == 1 ? "has " : "have ") << ticks
      << " ticks, and each stage is idle in " << ticks - pipelined.repeats * pipelined.microbatches << " of them";
  if (pipelined.repeats > 1)
    out << "; each stage has " << pipelined.repeats << " blocks of layers, and microbatches go around "
        << pipelined.repeats << " times";
  if (pipelined.idle > 0)
    out << "; the last " << pipelined.idle << " of " << pipelined.layers.front() << " places for layers "
        << (pipelined.idle == 1 ? "is" : "are") << " empty";
  if (pipelined.isRolled)
    out << "; the layers were unrolled and became loops first";
  return text;
}

static void writePipelined(const Pipelined &pipelined, llvm::json::OStream &json) {
  json.attribute("stages", pipelined.stages);
  json.attribute("microbatches", pipelined.microbatches);
  json.attribute("repeats", pipelined.repeats);
  json.attribute("ticks", pipelined.countTicks());
  json.attribute("layers", llvm::json::Array(pipelined.layers));
  json.attribute("peeled", pipelined.peeled);
  json.attribute("idle_layers", pipelined.idle);
  json.attribute("rolled", pipelined.isRolled);
}

//===----------------------------------------------------------------------===//
// Recomputation
//===----------------------------------------------------------------------===//

/// `examples/llama.py:40 (add, dot_general)`: the ops of classes of one source line, which says where they are.
static std::string listClassesOfLine(llvm::StringRef line, llvm::ArrayRef<RematClass> classes) {
  constexpr size_t maxOps = 3;
  std::vector<std::string> ops;
  for (const RematClass &known : classes)
    if (known.location == line) {
      std::string op = llvm::StringRef(known.name).rsplit('/').second.split('#').first.str();
      if (op.empty())
        op = llvm::StringRef(known.name).split('#').first.str();
      if (!llvm::is_contained(ops, op))
        ops.push_back(std::move(op));
    }
  if (ops.size() > maxOps) {
    ops.resize(maxOps);
    ops.push_back("...");
  }
  return shortenLocation(line) + " (" + llvm::join(ops, ", ") + ")";
}

/// The source lines of the first of some classes, and the bytes of all.
static std::string listClasses(llvm::ArrayRef<RematClass> classes) {
  constexpr size_t maxNames = 3;
  std::vector<std::string> names;
  std::set<std::string> lines;
  size_t numLeft = 0;
  int64_t bytes = 0;
  for (const RematClass &known : classes) {
    bytes += known.bytes;
    if (lines.count(known.location) > 0)
      continue;
    if (names.size() == maxNames)
      ++numLeft;
    else if (known.location.empty())
      names.push_back(known.name);
    else {
      lines.insert(known.location);
      names.push_back(listClassesOfLine(known.location, classes));
    }
  }
  return llvm::join(names, ", ") + (numLeft > 0 ? " and " + countWord(numLeft, "other") : "") + " " + printWhole(bytes);
}

static std::vector<std::string> describeRemat(const RematReport &remat) {
  std::vector<std::string> lines;
  if (!remat.recomputed.empty())
    lines.push_back("recomputed in the backward pass: " + listClasses(remat.recomputed));
  if (remat.numInputs > 0)
    lines.push_back("kept for that: " + countWord(remat.numInputs, "value") + " that layers start from " +
                    printWhole(remat.inputBytes));
  if (!remat.kept.empty())
    lines.push_back("kept instead of recomputed: " + listClasses(remat.kept));
  return lines;
}

static std::vector<std::string> getNames(llvm::ArrayRef<RematClass> classes) {
  std::vector<std::string> names;
  for (const RematClass &known : classes)
    names.push_back(known.name);
  return names;
}

static void writeRemat(const RematReport &remat, llvm::json::OStream &json) {
  json.attribute("recomputed", llvm::json::Array(getNames(remat.recomputed)));
  json.attribute("kept", llvm::json::Array(getNames(remat.kept)));
  json.attribute("inputs", remat.numInputs);
  json.attribute("input_bytes", remat.inputBytes);
  json.attribute("added_ops", remat.numAddedOps);
  json.attribute("removed_ops", remat.numRemovedOps);
}

std::string printRematClasses(llvm::ArrayRef<RematClass> classes) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const RematClass &known : classes)
    out << (known.kind == RematKind::Keep ? "  recomputed  " : "  kept        ")
        << llvm::format("%4lld x %10s  %10.3g flops  ", static_cast<long long>(known.numValues),
                        printBytes(known.bytes / std::max<int64_t>(known.numValues, 1)).c_str(),
                        static_cast<double>(known.flops))
        << known.name << (known.location.empty() ? "" : "  (" + known.location + ")") << "\n";
  return text;
}

void writeRematClasses(llvm::ArrayRef<RematClass> classes, llvm::json::OStream &json) {
  for (const RematClass &known : classes)
    json.object([&] {
      json.attribute("name", known.name);
      json.attribute("can", getWord(known.kind));
      json.attribute("values", known.numValues);
      json.attribute("bytes", known.bytes);
      json.attribute("flops", known.flops);
      json.attribute("location", known.location);
    });
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// The dims that were padded, in a form that can be compared.
static std::string listPadded(const Rewrites &rewrites) {
  std::vector<std::string> dims;
  if (rewrites.padding)
    for (const PaddedDim &dim : rewrites.padding->dims)
      dims.push_back(describePadded(dim));
  return llvm::join(dims, "; ");
}

static void writePadding(const PaddingReport &padding, llvm::json::OStream &json) {
  json.attributeArray("dims", [&] {
    for (const PaddedDim &dim : padding.dims)
      json.object([&] {
        json.attribute("name", dim.name);
        json.attribute("dim", dim.dim);
        json.attribute("size", dim.size);
        json.attribute("padded_size", dim.paddedSize);
      });
  });
  json.attribute("ops", padding.counts.numOps);
  json.attribute("masks", padding.counts.numMasks);
  json.attribute("pads", padding.counts.numPads);
  json.attribute("cuts", padding.counts.numCuts);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// `dim 1 of params/qkv (768 + 768 + 768)`.
static std::string describeReordered(const ReorderedDim &dim) {
  std::vector<std::string> parts;
  for (int64_t part : dim.order.parts)
    parts.push_back(std::to_string(part));
  return "dim " + std::to_string(dim.dim) + " of " + shortenName(dim.name, 60) + " (" + llvm::join(parts, " + ") + ")";
}

static std::string describeReorder(const ReorderReport &report) {
  constexpr size_t maxDims = 2;
  std::vector<std::string> names;
  for (const ReorderedDim &dim : llvm::ArrayRef(report.dims).take_front(maxDims))
    names.push_back(describeReordered(dim));
  std::string more =
      report.dims.size() > maxDims ? " and " + std::to_string(report.dims.size() - maxDims) + " more" : std::string();
  std::string text = "each device has a piece of every part of " + llvm::join(names, ", ") + more + "; ";
  if (report.stored.empty())
    return text + "weights are brought into that order at the beginning of the step, and back at its end";
  size_t numStored = llvm::count_if(report.stored, [](const StoredOrder &stored) { return !stored.isResult; });
  return text + countWord(numStored, "argument") + (numStored == 1 ? " is" : " are") + " stored in that order";
}

static void writeReordered(const ReorderReport &report, llvm::json::OStream &json) {
  json.attributeArray("dims", [&] {
    for (const ReorderedDim &dim : report.dims)
      json.object([&] {
        json.attribute("name", dim.name);
        json.attribute("dim", dim.dim);
        json.attribute("groups", dim.order.groups);
        json.attribute("parts", llvm::json::Array(dim.order.parts));
      });
  });
  json.attribute("stored", int64_t(report.stored.size()));
  json.attribute("grouped_ops", report.counts.numBridges);
  json.attribute("reorders", report.counts.numReorders);
  json.attribute("restores", report.counts.numRestores);
}

//===----------------------------------------------------------------------===//

std::string summarizeRewrites(const Rewrites &rewrites) {
  std::vector<std::string> parts;
  if (rewrites.pipelined)
    parts.push_back(summarizePipelined(*rewrites.pipelined));
  if (rewrites.accumulated)
    parts.push_back(std::to_string(rewrites.accumulated->count) + " microbatches");
  const RematReport remat = rewrites.remat.value_or(RematReport());
  if (!remat.recomputed.empty())
    parts.push_back(remat.isAllRecomputed ? "activations recomputed wherever possible"
                                          : countWord(remat.recomputed.size(), "activation") + " recomputed");
  if (!remat.kept.empty())
    parts.push_back(remat.isAllKept ? "no activation recomputed"
                                    : countWord(remat.kept.size(), "activation") + " kept instead of recomputed");
  if (rewrites.reordered)
    parts.push_back(rewrites.reordered->stored.empty() ? "fused weights in another order"
                                                       : "fused weights stored in another order");
  return llvm::join(parts, "; ");
}

std::vector<std::string> describeRewrites(const Rewrites &rewrites) {
  std::vector<std::string> lines;
  if (rewrites.accumulated)
    llvm::append_range(lines, describeAccumulated(*rewrites.accumulated));
  if (rewrites.pipelined)
    lines.push_back(describePipelined(*rewrites.pipelined));
  if (rewrites.remat)
    llvm::append_range(lines, describeRemat(*rewrites.remat));
  if (rewrites.reordered)
    lines.push_back(describeReorder(*rewrites.reordered));
  return lines;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// `attention/exp and 2 others`.
static std::string listSome(llvm::ArrayRef<RematClass> classes) {
  std::string text = classes.front().name;
  if (classes.size() == 2)
    text += " and " + classes.back().name;
  if (classes.size() > 2)
    text += " and " + std::to_string(classes.size() - 1) + " others";
  return text;
}

/// Those of `classes` that are not in `others`, as `VERB NAME and 2 others`.
static void addOwnClasses(llvm::StringRef verb, llvm::ArrayRef<RematClass> classes, llvm::ArrayRef<RematClass> others,
                          std::vector<std::string> &parts) {
  std::vector<RematClass> own;
  for (const RematClass &known : classes)
    if (llvm::none_of(others, [&](const RematClass &other) { return other.name == known.name; }))
      own.push_back(known);
  if (!own.empty())
    parts.push_back((verb + " " + listSome(own)).str());
}

/// What was done to one program and not to the other, verbs first; empty if nothing was.
static std::string describeOwn(const Rewrites &rewrites, const Rewrites &other) {
  std::vector<std::string> parts;
  auto getCount = [](const Rewrites &of) { return of.accumulated ? of.accumulated->count : 1; };
  if (getCount(rewrites) > 1 && getCount(rewrites) != getCount(other))
    parts.push_back("has " + std::to_string(getCount(rewrites)) + " microbatches");
  auto summarize = [](const Rewrites &of) { return of.pipelined ? summarizePipelined(*of.pipelined) : std::string(); };
  if (std::string pipeline = summarize(rewrites); !pipeline.empty() && pipeline != summarize(other))
    parts.push_back("has a " + pipeline);
  const RematReport remat = rewrites.remat.value_or(RematReport()), rest = other.remat.value_or(RematReport());
  addOwnClasses("recomputes", remat.recomputed, rest.recomputed, parts);
  addOwnClasses("keeps", remat.kept, rest.kept, parts);
  if (std::string padding = listPadded(rewrites); !padding.empty() && padding != listPadded(other))
    parts.push_back("pads " + describePadded(rewrites.padding->dims.front()));
  auto listOrders = [](const Rewrites &of) { return of.reordered ? describeReorder(*of.reordered) : std::string(); };
  if (std::string order = listOrders(rewrites); !order.empty() && order != listOrders(other))
    parts.push_back("reorders " + describeReordered(rewrites.reordered->dims.front()));
  return llvm::join(parts, ", ");
}

std::string compareRewrites(const Rewrites &first, const Rewrites &second) {
  std::vector<std::string> parts;
  if (std::string own = describeOwn(first, second); !own.empty())
    parts.push_back("only the first " + own);
  if (std::string own = describeOwn(second, first); !own.empty())
    parts.push_back("only the second " + own);
  return llvm::join(parts, "; ");
}

//===----------------------------------------------------------------------===//

void writeRewrites(const Rewrites &rewrites, llvm::json::OStream &json) {
  if (rewrites.remat)
    json.attributeObject("remat", [&] { writeRemat(*rewrites.remat, json); });
  if (rewrites.pipelined)
    json.attributeObject("pipeline", [&] { writePipelined(*rewrites.pipelined, json); });
  if (rewrites.accumulated)
    json.attributeObject("accumulate", [&] { writeAccumulated(*rewrites.accumulated, json); });
  if (rewrites.padding)
    json.attributeObject("padding", [&] { writePadding(*rewrites.padding, json); });
  if (rewrites.reordered)
    json.attributeObject("reorder", [&] { writeReordered(*rewrites.reordered, json); });
}

} // namespace partita::report
