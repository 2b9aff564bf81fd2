//===- AxisNames.h - axes called by what they carry -----------------------===//
//
// If the search chooses the shape of the mesh, it calls the axes by what the
// plan uses them for:
//
//   data       splits the batch, members, or the nodes and edges of a graph
//   fsdp       splits the batch and stores parameters in parts, beside a data axis
//              that does not; or stores parts and splits no work
//   sequence   splits the sequence, or space
//   expert     splits experts, whatever else it splits
//   model      splits heads, hidden dims, the vocabulary, ...
//   pipe       splits the layers of a pipeline
//
// The second axis of a name is called data2. The plan is searched for on a mesh
// that has the names of a short search; if the plan uses an axis otherwise, all
// that was found is renamed.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_AXISNAMES_H
#define PARTITA_SEARCH_AXISNAMES_H

#include "partita/Search/AxisUses.h"
#include "partita/Search/ScheduleSearch.h"

namespace partita::search {

/// A name for each axis of the mesh; `pipelineAxis` is that of a pipeline, if there is one.
std::vector<std::string> chooseAxisNames(const AxisUses &uses, const Axes &axes, const Colors &colors,
                                         llvm::StringRef pipelineAxis = "");

/// New names for the axes of one mesh.
class AxisRenaming {
public:
  AxisRenaming(Mesh mesh, llvm::ArrayRef<std::string> names);

  const Mesh &getMesh() const { return after; }
  /// `data` or a part of it, `data:(2)4`.
  std::string renameAxis(llvm::StringRef axis) const;
  /// A sentence about a plan: `batch over data and model; heads over model`.
  std::string renameText(llvm::StringRef text) const;
  /// Of a seed: `BP(data)+MP(model)`.
  std::string renameSeed(llvm::StringRef name) const;
  /// `data=node,model=nvlink`.
  std::string renamePlacement(llvm::StringRef text) const;
  void rename(SearchedSchedule &searched) const;

private:
  Mesh before, after;
};

} // namespace partita::search

#endif
