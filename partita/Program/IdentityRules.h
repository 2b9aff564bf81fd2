//===- IdentityRules.h - the rules of a flat program's identities ---------===//
//
// Identities stand where a value enters a loop, a branch, a barrier or the
// results. The module has no ops for them, so their rules follow from shapes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_IDENTITYRULES_H
#define PARTITA_PROGRAM_IDENTITYRULES_H

#include "partita/Graph/RulePool.h"
#include "partita/Program/Rooms.h"

#include <map>

namespace partita::program {

class IdentityRules {
public:
  explicit IdentityRules(RulePool &pool) : pool(pool) {}

  /// One factor for each dim of more than one element. All may be split, or none may: values that differ between
  /// devices stay whole.
  RuleRange get(llvm::ArrayRef<int64_t> shape, bool staysWhole);

private:
  RulePool &pool;
  std::map<std::pair<std::vector<int64_t>, bool>, RuleRange> known;
};

} // namespace partita::program

#endif
