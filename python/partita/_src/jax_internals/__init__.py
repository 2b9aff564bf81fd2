"""All of the package that touches parts of JAX that are not public; one module for each thing that is needed of them.

`make jax-versions` tries it with each version of JAX that the package takes.
"""

import os

from jax._src import source_info_util

# Where an op comes from is a line of the user's, also if this package bound it (kernels) or traced it again.
source_info_util.register_exclusion(os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep)
