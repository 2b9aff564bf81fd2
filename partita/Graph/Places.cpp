//===- Places.cpp - name stacks in the user's words -----------------------===//

#include "partita/Graph/Places.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace partita::graph {

/// What JAX adds to a name stack: loops, calls, what is recomputed, the formula of an einsum.
static bool isOfJax(llvm::StringRef part) {
  static constexpr llvm::StringRef known[] = {"while",
                                              "body",
                                              "cond",
                                              "scan",
                                              "closed_call",
                                              "checkpoint",
                                              "remat",
                                              "rematted_computation",
                                              "core_call",
                                              "pjit",
                                              "custom_jvp_call",
                                              "custom_vjp_call"};
  bool isKnown = llvm::is_contained(known, part);
  return part.empty() || isKnown || part.contains("->") || part.starts_with("branch_");
}

std::vector<std::string> splitPlace(llvm::StringRef name) {
  std::vector<std::string> parts;
  for (llvm::StringRef part : llvm::split(name.split('#').first, '/')) {
    bool isFunction = part.starts_with("jit(");
    // `transpose(jvp(attention))` is of `attention`.
    while (part.ends_with(")") && part.contains('('))
      part = part.split('(').second.drop_back();
    if (!isFunction && !isOfJax(part) && (parts.empty() || parts.back() != part))
      parts.push_back(part.str());
  }
  return parts;
}

} // namespace partita::graph
