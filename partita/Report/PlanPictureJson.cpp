//===- PlanPictureJson.cpp - a plan's picture as JSON ---------------------===//

#include "partita/Report/PlanPicture.h"

namespace partita::report {

using Json = llvm::json::OStream;

static void writeTexts(Json &json, llvm::StringRef key, llvm::ArrayRef<std::string> texts) {
  json.attributeArray(key, [&] {
    for (const std::string &text : texts)
      json.value(text);
  });
}

static void writeNumbers(Json &json, llvm::StringRef key, llvm::ArrayRef<int64_t> numbers) {
  json.attributeArray(key, [&] {
    for (int64_t number : numbers)
      json.value(number);
  });
}

/// Calls `write(entry)` in an object for each entry.
template <typename Range, typename Write>
static void writeList(Json &json, llvm::StringRef key, const Range &range, Write write) {
  json.attributeArray(key, [&] {
    for (const auto &entry : range)
      json.object([&] { write(entry); });
  });
}

static void writeOptional(Json &json, llvm::StringRef key, std::optional<int64_t> value) {
  json.attribute(key, value ? llvm::json::Value(*value) : llvm::json::Value(nullptr));
}

static void writePairs(Json &json, llvm::StringRef key, llvm::ArrayRef<std::pair<int64_t, int64_t>> pairs) {
  json.attributeArray(key, [&] {
    for (auto [first, second] : pairs)
      json.array([&] {
        json.value(first);
        json.value(second);
      });
  });
}

static void writeSpec(Json &json, const SpecLine &line) {
  json.attribute("name", line.name);
  json.attribute("kind", line.kind);
  json.attribute("type", line.type);
  json.attribute("spec", line.spec);
  json.attribute("count", line.count);
  json.attribute("bytes", line.bytes);
  json.attribute("whole_bytes", line.wholeBytes);
}

static void writeLine(Json &json, const SourceLine &line) {
  json.attribute("loc", line.loc);
  writeTexts(json, "steps", line.steps);
  writeTexts(json, "tactics", line.tactics);
  json.attribute("values", line.values);
  json.attribute("count", line.count);
  json.attribute("bytes", line.bytes);
  writeOptional(json, "time_ps", line.timePs);
  writeOptional(json, "exposed_ps", line.exposedPs);
}

static void writeMemory(Json &json, const PlanPicture &picture) {
  writeList(json, "classes", picture.memory, [&](const MemoryClass &entry) {
    json.attribute("category", entry.category);
    json.attribute("bytes", entry.bytes);
    writeList(json, "values", entry.values, [&](const ScoreAlive &value) {
      json.attribute("value", value.value);
      json.attribute("bytes", value.bytes);
      json.attribute("loc", value.loc);
    });
  });
  std::vector<std::pair<int64_t, int64_t>> points;
  for (const MemoryPoint &point : picture.memoryCurve)
    points.push_back({point.timePs, point.bytes});
  writePairs(json, "curve", points);
}

/// Events are six numbers each: lane, start, duration, name, place, count.
static void writeBlock(Json &json, const FoldedBlock &block) {
  json.attribute("parent", block.parent);
  json.attribute("loc", block.loc);
  json.attribute("start_ps", block.startPs);
  json.attribute("end_ps", block.endPs);
  json.attribute("loop_end_ps", block.loopEndPs);
  json.attribute("iterations", block.iterations);
  json.attribute("simulated", block.simulated);
  writeNumbers(json, "busy_ps", block.busyPs);
  std::vector<int64_t> numbers;
  for (const FoldedEvent &event : block.events)
    numbers.insert(numbers.end(),
                   {event.lane, event.startPs, event.endPs - event.startPs, event.name, event.loc, event.count});
  writeNumbers(json, "events", numbers);
}

static void writeTimeline(Json &json, const FoldedTimeline &timeline) {
  json.attribute("total_ps", timeline.totalPs);
  writeTexts(json, "lanes", timeline.lanes);
  writeTexts(json, "strings", timeline.strings);
  writeList(json, "blocks", timeline.blocks, [&](const FoldedBlock &block) { writeBlock(json, block); });
}

static void writeTopology(Json &json, const PlanPicture &picture) {
  writeList(json, "levels", picture.links, [&](const LinkPicture &link) {
    json.attribute("name", link.name);
    json.attribute("kind", link.kind);
    json.attribute("size", link.size);
    json.attribute("bytes_per_second", link.bytesPerSecond);
    json.attribute("bytes", link.bytes);
    json.attribute("busy_ps", link.busyPs);
    writeTexts(json, "axes", link.axes);
  });
  writeList(json, "axes", picture.axes, [&](const MeshAxis &axis) {
    json.attribute("name", axis.name);
    json.attribute("size", axis.size);
  });
  writeNumbers(json, "order", picture.deviceOrder);
}

static void writeStrategy(Json &json, const Strategy &strategy) {
  json.attribute("name", strategy.name);
  json.attribute("time_ps", strategy.timePs);
  json.attribute("peak_bytes", strategy.peakBytes);
}

static void writeRivals(Json &json, const RivalsPicture &rivals) {
  writeList(json, "experts", rivals.experts, [&](const Strategy &each) { writeStrategy(json, each); });
  json.attributeObject("legend", [&] {
    for (const SeedWord &entry : rivals.legend)
      json.attribute(entry.word, entry.meaning);
  });
  writeList(json, "others", rivals.others, [&](const Strategy &each) { writeStrategy(json, each); });
  json.attributeObject("start", [&] { writeStrategy(json, rivals.start); });
  json.attribute("num_evaluated", rivals.numEvaluated);
  std::vector<std::pair<int64_t, int64_t>> points;
  for (const EvaluatedPoint &point : rivals.evaluated)
    points.push_back({point.timePs, point.peakBytes});
  writePairs(json, "evaluated", points);
}

static void writePriced(Json &json, const PlanPicture &picture) {
  if (!picture.score.prices)
    return;
  json.attributeObject("memory", [&] { writeMemory(json, picture); });
  if (picture.timeline)
    json.attributeObject("timeline", [&] { writeTimeline(json, *picture.timeline); });
  json.attributeObject("topology", [&] { writeTopology(json, picture); });
  if (picture.baseline)
    json.attributeObject("baseline", [&] { writeStrategy(json, *picture.baseline); });
  if (picture.rivals)
    json.attributeObject("strategies", [&] { writeRivals(json, *picture.rivals); });
}

void writePicture(const PlanPicture &picture, Json &json) {
  const Score &score = picture.score;
  json.object([&] {
    json.attribute("name", score.name);
    json.attribute("program", picture.program);
    json.attribute("mesh", score.mesh);
    json.attribute("machine", score.machine);
    json.attribute("placement", score.placement);
    json.attribute("strategy", picture.strategy);
    writeTexts(json, "changes", picture.changes);
    writeTexts(json, "words", picture.words);
    writeTexts(json, "remarks", picture.remarks);
    json.attribute("unpriced", score.isLowerLimit());
    json.attributeObject("figures", [&] { writeFigures(score, json); });
    writeCollectives(score, json);
    writeList(json, "specs", picture.specs, [&](const SpecLine &line) { writeSpec(json, line); });
    writeList(json, "lines", picture.lines, [&](const SourceLine &line) { writeLine(json, line); });
    writePriced(json, picture);
  });
}

} // namespace partita::report
