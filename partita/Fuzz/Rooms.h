//===- Rooms.h - namespaces of other rooms that Fuzz uses -----------------===//

#ifndef PARTITA_FUZZ_ROOMS_H
#define PARTITA_FUZZ_ROOMS_H

namespace partita {
namespace temporal {}
namespace pipeline {}
namespace padding {}
namespace reorder {}
namespace remat {}
namespace verify {}
namespace validate {}
namespace evaluate {}
namespace lower {}
namespace program {}
namespace cost {}
namespace analysis {}
namespace schedule {}
namespace propagate {}
namespace graph {}
namespace machine {}
} // namespace partita

namespace partita::fuzz {
using namespace temporal;
using namespace pipeline;
using namespace padding;
using namespace reorder;
using namespace remat;
using namespace verify;
using namespace validate;
using namespace evaluate;
using namespace lower;
using namespace program;
using namespace cost;
using namespace analysis;
using namespace schedule;
using namespace propagate;
using namespace graph;
using namespace machine;
} // namespace partita::fuzz

#endif
