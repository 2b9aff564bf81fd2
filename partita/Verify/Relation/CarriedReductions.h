//===- CarriedReductions.h - loops that complete an iteration later -------===//
//
// A local program may reduce and add up in the next iteration what the original
// reduces and adds up at once:
//
//   while (s = s0, h = 0) { %g = f(); return add(%s, reduce %h), %g }
//   add(%s, reduce %h)
//
// The suffix, here add(s, reduce h), is a function F of what the loop carries. The
// value of the original's loop is F(s, h) whenever an iteration begins, by
// induction: F(s0, 0) is s0; an iteration makes F(s, h) of s, and g of h, so the next
// one begins with F(F(s, h), g), as the original's does. What stands behind the loop
// is F once more. So the loop is the same as one that carries s alone and yields
// F(s, g). Nothing is taken from names or labels: F is read off the body, and
// what is behind the loop is compared with it op by op.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_CARRIEDREDUCTIONS_H
#define PARTITA_VERIFY_RELATION_CARRIEDREDUCTIONS_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Verify/Rooms.h"

namespace partita::verify {

/// If the values that the loop carries behind the first `numKept` are such, makes of it a loop that completes its
/// values in the same iteration; the values stay, and nothing uses them. What cannot be proven stays as it is.
void uncarry(stablehlo::WhileOp loop, unsigned numKept);

} // namespace partita::verify

#endif
