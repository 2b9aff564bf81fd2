//===- RewriteText.cpp - what tactics did to the program, as text and JSON ===//

#include "partita/Report/RewriteText.h"

#include "partita/Report/Units.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace partita::report {

static std::vector<std::string> describeAccumulated(const Accumulated &accumulated) {
  std::vector<std::string> lines(1);
  llvm::raw_string_ostream out(lines.front());
  out << "microbatches: a loop of " << accumulated.numOps << " ops adds up " << accumulated.numSums << " values ("
      << printBytes(accumulated.sumBytes) << ")";
  if (accumulated.numCollected > 0)
    out << " and collects the rows of " << accumulated.numCollected << " (" << printBytes(accumulated.collectedBytes)
        << ")";
  if (accumulated.numLoops > 1)
    lines.push_back("before it, " + std::to_string(accumulated.numEarlyOps) + " ops in " +
                    std::to_string(accumulated.numLoops - 1) +
                    " loops compute what microbatches need of the whole batch");
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

static std::string describePipelined(const Pipelined &pipelined) {
  int64_t ticks = pipelined.microbatches + pipelined.stages - 1;
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "pipeline of " << pipelined.stages << " stages, " << pipelined.microbatches
      << " microbatches: " << pipelined.layers.size() << (pipelined.layers.size() == 1 ? " loop" : " loops") << " over "
      << pipelined.layers.front();
  if (pipelined.peeled > 0)
    out << " of " << pipelined.layers.front() + pipelined.peeled;
  out << " layers in " << ticks << " ticks, of which each device is idle in " << pipelined.stages - 1;
  return text;
}

static void writePipelined(const Pipelined &pipelined, llvm::json::OStream &json) {
  json.attribute("stages", pipelined.stages);
  json.attribute("microbatches", pipelined.microbatches);
  json.attribute("ticks", pipelined.microbatches + pipelined.stages - 1);
  json.attribute("layers", llvm::json::Array(pipelined.layers));
  json.attribute("peeled", pipelined.peeled);
}

//===----------------------------------------------------------------------===//
// Recomputation
//===----------------------------------------------------------------------===//

/// The first names of classes, and their bytes in all.
static std::string listClasses(llvm::ArrayRef<RematClass> classes) {
  constexpr size_t maxNames = 4;
  std::vector<std::string> names;
  int64_t bytes = 0;
  for (const RematClass &known : classes) {
    if (names.size() < maxNames)
      names.push_back(known.name);
    bytes += known.bytes;
  }
  std::string more =
      classes.size() > maxNames ? " and " + std::to_string(classes.size() - maxNames) + " more" : std::string();
  return llvm::join(names, ", ") + more + " (" + printBytes(bytes) + ")";
}

static std::vector<std::string> describeRemat(const RematReport &remat) {
  std::vector<std::string> lines;
  if (!remat.recomputed.empty())
    lines.push_back("recomputed in the backward pass: " + listClasses(remat.recomputed));
  if (remat.numInputs > 0)
    lines.push_back("kept for it: " + std::to_string(remat.numInputs) + " values that layers start from (" +
                    printBytes(remat.inputBytes) + ")");
  if (!remat.kept.empty())
    lines.push_back("kept for the backward pass: " + listClasses(remat.kept));
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

static std::string describePadded(const PaddedDim &dim) {
  double waste = 100.0 * double(dim.paddedSize - dim.size) / double(dim.size);
  std::string text;
  llvm::raw_string_ostream(text) << dim.name << " dim " << dim.dim << ": " << dim.size << " -> " << dim.paddedSize
                                 << llvm::format(waste < 1 ? " (%.2f%%)" : " (%.0f%%)", waste);
  return text;
}

std::string describePadding(const Rewrites &rewrites) {
  if (!rewrites.padding || rewrites.padding->dims.empty())
    return "";
  constexpr size_t maxDims = 4;
  const PaddingReport &padding = *rewrites.padding;
  std::vector<std::string> names;
  for (const PaddedDim &dim : llvm::ArrayRef(padding.dims).take_front(maxDims))
    names.push_back(describePadded(dim));
  if (padding.dims.size() > maxDims)
    names.push_back(std::to_string(padding.dims.size() - maxDims) + " more");
  return llvm::join(names, ", ") + "; " + std::to_string(padding.counts.numOps) + " ops, " +
         std::to_string(padding.counts.numMasks) + " masks, " + std::to_string(padding.counts.numPads) +
         " values padded and " + std::to_string(padding.counts.numCuts) + " cut back";
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

/// `attention/exp and 2 others`.
static std::string listSome(llvm::ArrayRef<RematClass> classes) {
  std::string text = classes.front().name;
  if (classes.size() == 2)
    text += " and " + classes.back().name;
  if (classes.size() > 2)
    text += " and " + std::to_string(classes.size() - 1) + " others";
  return text;
}

/// `4 microbatches; attention/exp and 2 others recomputed, everything else kept`.
static std::string summarize(const Rewrites &rewrites) {
  std::vector<std::string> parts;
  if (rewrites.accumulated)
    parts.push_back(std::to_string(rewrites.accumulated->count) + " microbatches");
  const RematReport remat = rewrites.remat.value_or(RematReport());
  if (!remat.recomputed.empty())
    parts.push_back(remat.isAllRecomputed ? "everything that can be is recomputed"
                                          : listSome(remat.recomputed) + " recomputed" +
                                                (remat.kept.empty() ? ", everything else kept" : ""));
  if (!remat.kept.empty())
    parts.push_back(remat.isAllKept ? "everything that was recomputed is kept"
                                    : listSome(remat.kept) + " kept" +
                                          (remat.recomputed.empty() ? ", everything else recomputed as before" : ""));
  return llvm::join(parts, "; ");
}

std::vector<std::string> describeRewrites(const Rewrites &rewrites) {
  std::vector<std::string> lines;
  if (std::string summary = summarize(rewrites); !summary.empty())
    lines.push_back(std::move(summary));
  if (rewrites.accumulated)
    llvm::append_range(lines, describeAccumulated(*rewrites.accumulated));
  if (rewrites.pipelined)
    lines.push_back(describePipelined(*rewrites.pipelined));
  if (rewrites.remat)
    llvm::append_range(lines, describeRemat(*rewrites.remat));
  return lines;
}

void writeRewrites(const Rewrites &rewrites, llvm::json::OStream &json) {
  if (rewrites.remat)
    json.attributeObject("remat", [&] { writeRemat(*rewrites.remat, json); });
  if (rewrites.pipelined)
    json.attributeObject("pipeline", [&] { writePipelined(*rewrites.pipelined, json); });
  if (rewrites.accumulated)
    json.attributeObject("accumulate", [&] { writeAccumulated(*rewrites.accumulated, json); });
  if (rewrites.padding)
    json.attributeObject("padding", [&] { writePadding(*rewrites.padding, json); });
}

} // namespace partita::report
