//===- ScheduleWriter.cpp - writes a list of tactics as JSON --------------===//

#include "partita/Schedule/Schedule.h"
#include "partita/Schedule/ScheduleWords.h"

namespace partita::schedule {

static void writeEntry(const ScheduleEntry &entry, llvm::json::OStream &json) {
  if (!hasDim(entry.kind) && entry.kind != ActionKind::Group)
    return json.value(entry.pattern.getText());
  json.array([&] {
    json.value(entry.pattern.getText());
    if (entry.kind == ActionKind::Group)
      json.array([&] {
        for (const Pattern &use : entry.uses)
          json.value(use.getText());
      });
    else if (!entry.otherDims.empty())
      json.array([&] {
        json.value(*entry.dim);
        for (uint32_t dim : entry.otherDims)
          json.value(dim);
      });
    else if (entry.dim)
      json.value(*entry.dim);
    else
      json.value(firstDivisible);
  });
}

static void writeWords(llvm::StringRef key, llvm::ArrayRef<std::string> words, llvm::json::OStream &json) {
  if (words.empty())
    return;
  json.attributeArray(key, [&] {
    for (const std::string &word : words)
      json.value(word);
  });
}

static void writePatterns(llvm::StringRef key, const std::vector<Pattern> &patterns, llvm::json::OStream &json) {
  if (patterns.empty())
    return;
  json.attributeArray(key, [&] {
    for (const Pattern &pattern : patterns)
      json.value(pattern.getText());
  });
}

static void writePreset(const Preset &preset, llvm::json::OStream &json) {
  for (const PresetMember &member : getPresetMembers())
    writePatterns(member.word, preset.*member.patterns, json);
  if (preset.dim)
    json.attribute("dim", *preset.dim);
}

static void writeTactic(const Tactic &tactic, llvm::json::OStream &json) {
  json.attribute("name", tactic.name);
  if (tactic.automatic) {
    json.attributeObject("auto", [&] { writeWords("goals", tactic.automatic->goals, json); });
    return writeWords("axes", tactic.automatic->axes, json);
  }
  if (tactic.preset)
    json.attribute("preset", getWord(tactic.preset->kind));
  json.attribute("axis", tactic.axis);
  if (tactic.preset)
    writePreset(*tactic.preset, json);
  if (tactic.pipeline) {
    json.attributeArray("pipeline", [&] {
      for (const Pattern &pattern : tactic.pipeline->stacks)
        json.value(pattern.getText());
    });
    json.attribute("microbatches", tactic.pipeline->microbatches);
    if (tactic.pipeline->repeats > 1)
      json.attribute("repeats", tactic.pipeline->repeats);
    if (tactic.pipeline->isStored)
      json.attribute("store", true);
    return;
  }
  for (ActionKind kind : actionKinds) {
    auto isOfKind = [&](const ScheduleEntry &entry) { return entry.kind == kind; };
    if (llvm::none_of(tactic.entries, isOfKind))
      continue;
    json.attributeArray(getWord(kind), [&] {
      for (const ScheduleEntry &entry : tactic.entries)
        if (isOfKind(entry))
          writeEntry(entry, json);
    });
  }
  if (tactic.isOptional)
    json.attribute("optional", true);
}

static void writeTemporal(const TemporalTactic &temporal, llvm::json::OStream &json) {
  json.attribute("name", temporal.name);
  json.attributeObject("temporal", [&] {
    if (temporal.isAutomatic())
      json.attribute(temporal.axis, "auto");
    else
      json.attribute(temporal.axis, temporal.count);
  });
  if (!temporal.tiles.empty())
    json.attributeArray("tile", [&] {
      for (const ScheduleEntry &entry : temporal.tiles)
        writeEntry(entry, json);
    });
  if (temporal.inSingle)
    json.attribute("accumulate_type", "f32");
  if (temporal.passes > 1)
    json.attribute("passes", temporal.passes);
  if (!temporal.scatter.empty())
    json.attribute("scatter", temporal.scatter);
}

static void writeRemat(const RematTactic &remat, llvm::json::OStream &json) {
  json.attribute("name", remat.name);
  writePatterns("recompute", remat.recompute, json);
  writePatterns("keep", remat.keep, json);
}

static void writePadding(const PadTactic &padding, llvm::json::OStream &json) {
  json.attribute("name", padding.name);
  json.attributeArray("pad", [&] {
    for (const PadEntry &entry : padding.entries)
      json.array([&] {
        json.value(entry.pattern.getText());
        json.value(entry.dim);
        json.value(entry.multiple);
      });
  });
  if (padding.isStored)
    json.attribute("store", true);
  if (padding.isPoisoned)
    json.attribute("poison", true);
}

static void writeReorder(const ReorderTactic &reorder, llvm::json::OStream &json) {
  json.attribute("name", reorder.name);
  json.attributeArray("reorder", [&] {
    for (const ReorderEntry &entry : reorder.entries)
      json.array([&] {
        json.value(entry.pattern.getText());
        json.value(entry.dim);
        json.value(entry.groups);
      });
  });
  if (reorder.isStored)
    json.attribute("store", true);
}

void writeSchedule(const Schedule &schedule, llvm::json::OStream &json) {
  json.object([&] {
    if (!schedule.shardings.empty()) {
      json.attributeBegin("shardings");
      writePartitionRules(schedule.shardings, json);
      json.attributeEnd();
    }
    json.attributeArray("tactics", [&] {
      if (schedule.remat)
        json.object([&] { writeRemat(*schedule.remat, json); });
      if (schedule.temporal)
        json.object([&] { writeTemporal(*schedule.temporal, json); });
      if (schedule.padding)
        json.object([&] { writePadding(*schedule.padding, json); });
      if (schedule.reorder)
        json.object([&] { writeReorder(*schedule.reorder, json); });
      if (!schedule.mayPad)
        json.object([&] { json.attribute("pad", false); });
      for (const Tactic &tactic : schedule.tactics)
        json.object([&] { writeTactic(tactic, json); });
    });
    if (!schedule.reductions.empty()) {
      json.attributeBegin("reductions");
      writePrograms(schedule.reductions, json);
      json.attributeEnd();
    } else if (schedule.choosesReductions) {
      json.attribute("reductions", automaticReductions);
    }
  });
}

} // namespace partita::schedule
