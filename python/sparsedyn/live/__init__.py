"""The estimator on a running robot, fed by ROS 2, Zenoh, LCM or lines (docs/live.md): `python -m sparsedyn.live --help`."""

from ._loop import Finding, Live, Reading, Sample, Summary, Taken
from ._rows import Message, Topics, WrongMessage
from ._run import Run
from ._streams import Received, Streams
from ._transports import Inlet, Lines, Transport

__all__ = ["Finding", "Inlet", "Lines", "Live", "Message", "Reading", "Received", "Run", "Sample", "Streams", "Summary", "Taken",
           "Topics", "Transport", "WrongMessage"]
