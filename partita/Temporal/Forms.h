//===- Forms.h - whole values, pieces and terms ---------------------------===//
//
// In the turn of one microbatch a value is
//
//   whole     the same in every turn
//   piece     the microbatch's rows: a dim is shorter
//   partial   a term: combined over all turns, the terms give the value
//
// Reductions of a split factor give terms. Ops that are linear pass them on: an
// add of terms is a term, and so is a term times a whole value, on whichever side
// the term stands. Inside of a layer loop they must, because the loop's
// values are complete only behind the loop of microbatches. In straight code
// they do where it saves an accumulator (an add) or precision (a conversion to a
// wider type); otherwise the sum is completed first.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TEMPORAL_FORMS_H
#define PARTITA_TEMPORAL_FORMS_H

#include "partita/Temporal/Rooms.h"
#include "partita/Temporal/Units.h"

namespace partita::temporal {

enum class Form : uint8_t { Whole, Piece, Partial };

struct ValueForm {
  Form form = Form::Whole;
  /// Of a piece.
  RowDigit digit = {};
  /// Of a term.
  Combiner combiner = Combiner::None;
  bool operator==(const ValueForm &) const = default;
};

enum class OpForm : uint8_t {
  Whole,
  /// It computes a piece: one factor is split.
  Split,
  /// It is linear and passes terms on.
  Sum
};

struct Forms {
  IdVector<OpId, OpForm> ops;
  /// For ops that are split.
  IdVector<OpId, FactorDigit> digits;
  IdVector<CellId, ValueForm> cells;

  bool isSplit(OpId op) const { return ops[op] == OpForm::Split; }
};

/// Whether an op that passes terms on takes this operand as a term. A product is linear in either operand while the
/// other one is whole: in its first term.
bool passesTerm(const MicroProgram &program, const Forms &forms, OpId op, uint32_t operand);

/// The form in which the op takes its operand.
ValueForm getNeeded(const MicroProgram &program, const Forms &forms, OpId op, uint32_t operand);

/// Whether a turn can use a value that has the form `given` where `needed` is needed. A piece is cut from a whole
/// value; a whole value is a term that counts in the first turn alone.
bool isUsable(const ValueForm &given, const ValueForm &needed);

/// The forms of all values, where the ops of `passesOn` pass terms on if they have some.
Forms computeForms(const MicroProgram &program, const IdVector<OpId, uint8_t> &passesOn, const Reached &reached);

/// Which linear ops pass terms on, none of `forbidden` among them.
IdVector<OpId, uint8_t> choosePassing(const MicroProgram &program, const Units &units, const Reached &reached,
                                      const IdVector<OpId, uint8_t> &forbidden);

} // namespace partita::temporal

#endif
