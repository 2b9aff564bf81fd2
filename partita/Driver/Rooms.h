//===- Rooms.h - names of other rooms that Driver uses unqualified --------===//
//
// Each room has a namespace. The headers of a room include this file to use the
// names of the rooms that it depends on without a qualifier.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DRIVER_ROOMS_H
#define PARTITA_DRIVER_ROOMS_H

namespace partita {
namespace variants {}
namespace pipeline {}
namespace temporal {}
namespace padding {}
namespace reorder {}
namespace remat {}
namespace report {}
namespace fuzz {}
namespace validate {}
namespace verify {}
namespace evaluate {}
namespace lower {}
namespace program {}
namespace simulate {}
namespace search {}
namespace cost {}
namespace analysis {}
namespace schedule {}
namespace propagate {}
namespace graph {}
namespace solve {}
namespace machine {}
} // namespace partita

namespace partita::driver {
using namespace variants;
using namespace pipeline;
using namespace temporal;
using namespace padding;
using namespace reorder;
using namespace remat;
using namespace report;
using namespace fuzz;
using namespace validate;
using namespace verify;
using namespace evaluate;
using namespace lower;
using namespace program;
using namespace simulate;
using namespace search;
using namespace cost;
using namespace analysis;
using namespace schedule;
using namespace propagate;
using namespace graph;
using namespace solve;
using namespace machine;
} // namespace partita::driver

#endif
