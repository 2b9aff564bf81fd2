//===- SeedWords.cpp - what the short names of experts' strategies mean ---===//

#include "partita/Search/SeedWords.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace partita::search {

static constexpr SeedWord words[] = {
    {"BP", "batch"},
    {"BP*", "batch, and what the batch alone leaves whole"},
    {"CP", "sequence (context parallelism)"},
    {"MP", "heads and hidden dims (Megatron)"},
    {"VOCAB", "vocabulary"},
    {"SEQ", "sequence between Megatron's blocks"},
    {"EMB", "embedding dim"},
    {"EP", "experts"},
    {"HP", "heads or other batch dims of products"},
    {"Z1", "ZeRO-1"},
    {"Z2", "ZeRO-2"},
    {"Z3", "ZeRO-3"},
    {"Z3*", "ZeRO-3, small parameters too"},
    {"GRAD", "gradients scattered in each turn of a loop"},
    {"DP", "data parallelism over the dim that inputs share"},
    {"SP", "inputs by their second dim"},
    {"FSDP", "all other arguments stored in parts"},
    {"TP", "all other arguments by their largest dim"},
    {"OS1", "state that no product takes, stored in parts"},
    {"OS2", "state that no product takes, stored in parts; other arguments whole"},
};

std::string joinSeedWords(llvm::StringRef name, bool hasExperts) {
  std::vector<std::pair<llvm::StringRef, std::string>> parts;
  for (llvm::StringRef part : llvm::split(name, '+')) {
    auto [word, axis] = part.split('(');
    if (word == "EP" && !hasExperts)
      word = "HP";
    axis = axis.drop_back(axis.empty() ? 0 : 1);
    if (!parts.empty() && parts.back().first == word)
      parts.back().second += ", " + axis.str();
    else
      parts.emplace_back(word, axis.str());
  }
  std::string text;
  for (const auto &[word, axes] : parts)
    text += (text.empty() ? "" : "+") + word.str() + "(" + axes + ")";
  return text;
}

std::vector<SeedWord> listSeedWords(llvm::ArrayRef<std::string> names) {
  auto isIn = [](llvm::StringRef word, llvm::StringRef name) {
    return llvm::any_of(llvm::split(name, '+'), [&](llvm::StringRef part) { return part.split('(').first == word; });
  };
  std::vector<SeedWord> found;
  for (const SeedWord &entry : words)
    if (llvm::any_of(names, [&](const std::string &name) { return isIn(entry.word, name); }))
      found.push_back(entry);
  return found;
}

} // namespace partita::search
