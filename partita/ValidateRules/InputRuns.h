//===- InputRuns.h - runs of an instance on each kind of inputs -----------===//

#ifndef PARTITA_VALIDATERULES_INPUTRUNS_H
#define PARTITA_VALIDATERULES_INPUTRUNS_H

#include "partita/ValidateRules/AdversarialInputs.h"

namespace partita::validate {

/// A run of a whole instance and the inputs' kind.
struct NamedRun {
  InputKind kind;
  WholeRun run;
};

/// An error if no inputs can be made, or if the evaluator cannot run the instance on them.
Result<WholeRun> runOn(const OpInstance &instance, InputKind kind, uint64_t seed);

/// Evaluates the instance on each kind of inputs. Some ops have no meaning in exact mode; what cannot be evaluated at
/// all is an error.
Result<std::vector<NamedRun>> runAllKinds(const OpInstance &instance, uint64_t seed);

} // namespace partita::validate

#endif
