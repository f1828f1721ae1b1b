"""What stands out in a series of (step, value) points: excursions, new levels, creeping rises, dips, values that are no numbers.

The engine knows series, not what they measure. Content says in three views which series there are (`series`), their points
(`series_point`) and where something restarted (`series_boundary`); what is found goes into the declared tables `segment` and
`excursion`, and rules in SQL give it a name. Nothing runs where the content has no such views.

The way of a series:
    rows        reads it from the store and writes what was found
    stitch      undoes restarts, rollbacks, copies and interleaved writers
    curve       its level and noise at every point
    excursions  stretches above the level: screened with array arithmetic, followed where it hits, weighed against the noise
    levels      what no single point shows: new levels, creeping rises, dips behind a restart
    search      all of these, told apart by their shape
`robust` has the statistics, `parameters` every number with its reason.
"""

from logsift.derive.series.curve import Curve, Excursion, curve_of, dense_start
from logsift.derive.series.rows import FOUND, run
from logsift.derive.series.search import search
from logsift.derive.series.stitch import stitch

__all__ = ["FOUND", "Curve", "Excursion", "curve_of", "dense_start", "run", "search", "stitch"]
