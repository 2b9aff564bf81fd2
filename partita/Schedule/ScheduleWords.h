//===- ScheduleWords.h - words of schedule files, to read and to write ----===//

#ifndef PARTITA_SCHEDULE_SCHEDULEWORDS_H
#define PARTITA_SCHEDULE_SCHEDULEWORDS_H

#include "partita/Schedule/Rooms.h"
#include "partita/Schedule/Schedule.h"

namespace partita::schedule {

inline constexpr llvm::StringLiteral firstDivisible = "first_divisible";
/// Of "reductions".
inline constexpr llvm::StringLiteral automaticReductions = "auto";

/// A member of a preset that has patterns, and the presets that know it.
struct PresetMember {
  llvm::StringRef word;
  std::vector<Pattern> Preset::*patterns;
  std::initializer_list<PresetKind> kinds;

  bool isOf(PresetKind kind) const { return llvm::is_contained(kinds, kind); }
};

llvm::ArrayRef<PresetMember> getPresetMembers();

/// Whether an entry of this kind has a dim or a factor beside its pattern.
bool hasDim(ActionKind kind);

} // namespace partita::schedule

#endif
