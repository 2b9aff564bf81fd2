//===- ScoreJson.cpp - a score as JSON ------------------------------------===//

#include "partita/Report/Score.h"

#include "llvm/Support/FormatVariadic.h"

namespace partita::report {

using Json = llvm::json::OStream;

static void writeOptional(Json &json, llvm::StringRef key, std::optional<int64_t> value) {
  if (value)
    json.attribute(key, *value);
  else
    json.attribute(key, nullptr);
}

/// Writes a fraction with six digits, so that the output is the same on every platform.
static void writeFraction(Json &json, llvm::StringRef key, double value) {
  json.attributeBegin(key);
  json.rawValue(llvm::formatv("{0:F6}", value).str());
  json.attributeEnd();
}

static void writeCollective(Json &json, const ScoreCollective &entry) {
  json.attribute("kind", entry.kind);
  json.attributeArray("axes", [&] {
    for (const std::string &axis : entry.axes)
      json.value(axis);
  });
  json.attribute("count", entry.count);
  json.attribute("bytes", entry.bytes);
  json.attribute("wire_bytes", entry.wireBytes);
  writeOptional(json, "time_ps", entry.timePs);
}

void writeReshard(const ScoreReshard &entry, Json &json) {
  json.attribute("value", entry.value);
  json.attribute("loc", entry.loc);
  json.attribute("from", entry.from);
  json.attribute("to", entry.to);
  json.attribute("steps", entry.steps);
  json.attribute("count", entry.count);
  json.attribute("bytes", entry.bytes);
  writeOptional(json, "time_ps", entry.timePs);
  writeOptional(json, "exposed_ps", entry.exposedPs);
  json.attribute("cause", entry.cause);
  json.attribute("tactic", entry.tactic);
}

static void writeMemory(Json &json, const ScoreMemory &memory) {
  json.attribute("arguments", memory.arguments);
  json.attribute("results", memory.results);
  json.attribute("aliased", memory.aliased);
  json.attribute("temporaries", memory.temporaries);
  json.attribute("peak", memory.peak);
  json.attributeArray("at_peak", [&] {
    for (const ScoreAlive &entry : memory.atPeak)
      json.object([&] {
        json.attribute("value", entry.value);
        json.attribute("bytes", entry.bytes);
        json.attribute("category", entry.category);
        json.attribute("loc", entry.loc);
      });
  });
}

/// Calls `write(json, entry)` in an object for each entry.
template <typename Range, typename Write>
static void writeList(Json &json, llvm::StringRef key, const Range &range, Write write) {
  json.attributeArray(key, [&] {
    for (const auto &entry : range)
      json.object([&] { write(json, entry); });
  });
}

void writeFigures(const Score &score, Json &json) {
  const std::optional<ScorePrices> &prices = score.prices;
  if (!prices) {
    for (llvm::StringRef key : {"time_ps", "simulated_ps", "compute_ps", "communication_ps", "exposed_communication_ps",
                                "simulated_exposed_ps", "peak_bytes", "limit_bytes", "fits", "memory_fraction",
                                "near_limit", "flops", "mfu", "lower_bound_ps"})
      json.attribute(key, nullptr);
    return;
  }
  json.attribute("time_ps", prices->timePs);
  if (prices->timeWidthPpm > 0)
    json.attribute("time_width_ppm", prices->timeWidthPpm);
  json.attribute("simulated_ps", prices->simulatedPs);
  json.attribute("compute_ps", prices->computePs);
  json.attribute("communication_ps", prices->communicationPs);
  json.attribute("exposed_communication_ps", prices->exposedCommunicationPs);
  json.attribute("simulated_exposed_ps", prices->simulatedExposedPs);
  if (prices->exposedElsewherePs != 0)
    json.attribute("exposed_elsewhere_ps", prices->exposedElsewherePs);
  json.attribute("peak_bytes", prices->peakBytes);
  if (prices->peakWidthPpm > 0)
    json.attribute("peak_width_ppm", prices->peakWidthPpm);
  json.attribute("limit_bytes", prices->limitBytes);
  std::optional<bool> fits = score.fits();
  json.attribute("fits", fits ? llvm::json::Value(*fits) : llvm::json::Value(nullptr));
  json.attributeBegin("memory_fraction");
  std::optional<int64_t> percent = score.getPoolPercent();
  json.rawValue(percent ? llvm::formatv("0.{0,0+2}", *percent).str() : "null");
  json.attributeEnd();
  if (const std::optional<NearLimit> &near = prices->nearLimit)
    json.attributeObject("near_limit", [&] {
      json.attribute("overlap_bytes", near->overlapBytes);
      json.attribute("synchronous_ps", near->synchronousPs);
    });
  else
    json.attribute("near_limit", nullptr);
  json.attribute("flops", prices->flops);
  writeFraction(json, "mfu", prices->mfu);
  json.attribute("lower_bound_ps", prices->lowerBoundPs);
}

static void writeDetails(Json &json, const std::optional<ScorePrices> &prices) {
  if (!prices) {
    for (llvm::StringRef key : {"memory", "levels", "split_flops", "replicated"})
      json.attribute(key, nullptr);
    return;
  }
  json.attributeObject("memory", [&] { writeMemory(json, prices->memory); });
  writeList(json, "levels", prices->levels, [](Json &json, const ScoreLevel &level) {
    json.attribute("name", level.name);
    json.attribute("bytes", level.bytes);
    json.attribute("busy_ps", level.busyPs);
  });
  json.attributeObject("split_flops", [&] {
    for (const auto &[axis, share] : prices->splitFlops)
      writeFraction(json, axis, share);
  });
  writeList(json, "replicated", prices->replicated, [](Json &json, const ScoreReplicated &entry) {
    json.attribute("value", entry.value);
    json.attribute("bytes", entry.bytes);
    json.attribute("reason", entry.reason);
  });
}

void writeCollectives(const Score &score, Json &json) {
  writeList(json, "collectives", score.collectives, writeCollective);
}

void writeScore(const Score &score, Json &json) {
  writeFigures(score, json);
  writeCollectives(score, json);
  writeList(json, "reshards", score.reshards, [](Json &json, const ScoreReshard &entry) { writeReshard(entry, json); });
  writeDetails(json, score.prices);
  writeList(json, "unpriced", score.unpriced, [](Json &json, const ScoreUnpriced &entry) {
    json.attribute("op", entry.op);
    json.attribute("target", entry.target);
    json.attribute("count", entry.count);
    json.attribute("runs", entry.runs);
    json.attributeArray("places", [&] {
      for (const std::string &place : entry.places)
        json.value(place);
    });
  });
  for (auto [key, other] :
       {std::pair("row_major", &score.rowMajor), std::pair("better_placement", &score.betterPlacement)})
    if (*other)
      json.attributeObject(key, [&] {
        json.attribute("placement", (*other)->placement);
        json.attribute("time_ps", (*other)->timePs);
      });
  if (!score.reductions.empty()) {
    json.attributeBegin("reductions");
    writePrograms(score.reductions, json);
    json.attributeEnd();
  }
  if (score.withoutReductionsPs)
    json.attribute("without_reductions_ps", *score.withoutReductionsPs);
  if (!score.pieced.empty()) {
    json.attributeBegin("matmul");
    writePieced(score.pieced, json);
    json.attributeEnd();
  }
  if (score.withoutPiecesPs)
    json.attribute("without_matmul_ps", *score.withoutPiecesPs);
  if (!score.rotated.empty()) {
    json.attributeBegin("rotate");
    writeRotated(score.rotated, json);
    json.attributeEnd();
  }
  if (score.withoutRotatedPs)
    json.attribute("without_rotate_ps", *score.withoutRotatedPs);
  if (score.prices && score.prices->assumedLoops > 0)
    json.attributeObject("assumed_trips", [&] {
      json.attribute("loops", score.prices->assumedLoops);
      json.attribute("trips", score.prices->assumedTrips);
    });
}

/// An object that `write` fills.
static std::string printObject(llvm::function_ref<void(Json &json)> write) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Json json(out, /*IndentSize=*/1);
  json.object([&] { write(json); });
  json.flush();
  return text + "\n";
}

static std::string printScoreJson(const Score &score) {
  return printObject([&](Json &json) { writeScore(score, json); });
}

std::string printScoresJson(llvm::ArrayRef<Score> scores) {
  if (scores.size() == 1)
    return printScoreJson(scores.front());
  return printObject([&](Json &json) {
    json.attributeArray("plans", [&] {
      for (const Score &score : scores)
        json.object([&] {
          json.attribute("plan", score.name);
          writeScore(score, json);
        });
    });
  });
}

} // namespace partita::report
