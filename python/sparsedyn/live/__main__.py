"""python -m sparsedyn.live: the estimator on a running robot."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import stat
import sys
from typing import Any

import sparsedyn as sd

from .._files import refuse_clash
from .._scale.mapping import Mapping_
from .._words import counted
from ._loop import Live, Summary
from ._output import Output
from ._rows import Topics
from ._run import Run, ended_by_signal, tell
from ._streams import Streams
from ._transports import Lines, Transport

DONE, NO, USAGE, INPUT, NUMERICAL = 0, 1, 2, 3, 4

EXAMPLE = """Example, messages as lines of JSON (a mapping names their topics, as for logs):

  echo '{"clock": {"topic": "/joints"}, "topics": {"/joints":
    {"position": "q", "velocity": "dq", "effort": "y.tau"}}}' > mapping.json
  robot | python -m sparsedyn.live arm.urdf --sensors set.json --mapping mapping.json > estimates.csv
"""


def arguments() -> argparse.ArgumentParser:
    """The options, called as those of `sparsedyn live`."""
    parser = argparse.ArgumentParser("python -m sparsedyn.live", description="The answers of `solve` or `track` on a running robot, from "
                                     "ROS 2, Zenoh, LCM or lines of JSON.", epilog=EXAMPLE,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", help="URDF")
    parser.add_argument("--floating", action="store_true", help="the root link is free")
    parser.add_argument("--mimic", action="store_true", help="mimic joints follow their leaders")
    parser.add_argument("--sensors", required=True, help="sensor set: a file, or a built-in set's name")
    parser.add_argument("--mapping", help="JSON: which topic becomes which columns, as for logs")
    parser.add_argument("--input", action="append", default=[], metavar="ADDRESS",
                        help="in place of a mapping: -, udp:PORT, udp:HOST:PORT, unix:PATH or a file, as `sparsedyn live`; may be repeated")
    parser.add_argument("--format", choices=("csv", "f64"), help="of --input; default: csv")
    parser.add_argument("--columns", help="of --input: names of the inputs' columns by commas, until a header comes")
    parser.add_argument("--control", help="of --input: udp:PORT, unix:PATH or a FIFO for changes")
    parser.add_argument("--transport", choices=("lines", "ros", "zenoh", "lcm"),
                        help="lines of JSON on the standard input (default), ROS 2 by rclpy, Zenoh, or LCM")
    parser.add_argument("--over-time", action="store_true", help="track the state; default: each sample by itself")
    parser.add_argument("--outputs", help="kinds, kinds and names, or columns, by commas")
    parser.add_argument("--sd", action="store_true", help="add a column sd.OUTPUT for each output")
    parser.add_argument("--rate", type=float, help="Hz of samples; default: the mapping's clock")
    parser.add_argument("--wait", type=float, default=0.01, help="s that a sample waits for late readings; default: 0.01")
    parser.add_argument("--max-gap", type=float, help="s between readings that are interpolated; default: the least of the mapping's, 0.1")
    parser.add_argument("--missing-after", type=float, default=0.012, help="s without a reading before it is named; default: 0.012")
    parser.add_argument("-o", "--output", help="CSV for samples, - for the standard output; default of lines: -")
    parser.add_argument("--diagnostics", help="lines of JSON for findings; default: in words on stderr")
    parser.add_argument("--record", help="MCAP file for what comes in, for `sparsedyn live --replay`")
    parser.add_argument("--priority", type=int, default=0, help="1 to 99: of SCHED_FIFO for the loop's thread")
    parser.add_argument("--lock-memory", action="store_true", help="mlockall")
    parser.add_argument("--watch", metavar="[HOST:]PORT", help="serve a page at this port of 127.0.0.1; 0: any")
    parser.add_argument("--node", default="sparsedyn_live", help="ROS 2: the node's name")
    parser.add_argument("--frame", default="world", help="ROS 2: the name of the world's frame; default: world")
    parser.add_argument("--zenoh-config", default="", help="a file of Zenoh's settings")
    parser.add_argument("--lcm-url", default="", help="where LCM's messages are; default: LCM_DEFAULT_URL, else this machine alone")
    parser.add_argument("--json", action="store_true", help="the summary as JSON, on stderr")
    parser.add_argument("--quiet", action="store_true", help="no words on stderr but errors")
    return parser


def transport_of(options: argparse.Namespace, robot: sd.Model, live: Live) -> Transport:
    if options.input:
        return Streams(live, control=options.control or "", format=options.format or "csv", columns=options.columns or "")
    if options.transport == "ros":
        from ._ros import Ros

        return Ros(live.columns, options.node, options.frame, robot.link_names[0])
    if options.transport == "zenoh":
        from ._zenoh import Zenoh

        return Zenoh(live.columns, options.zenoh_config)
    if options.transport == "lcm":
        from ._lcm import Lcm

        return Lcm(live.columns, options.lcm_url)
    return Lines()


def words(summary: Summary, dropped: int) -> str:
    text = f"{counted(summary.samples, 'sample')}, {summary.samples - summary.answered} without an answer\n"
    for name, counts in summary.sources.items():
        text += f"{name}: {counted(counts['readings'], 'row')}" + "".join(
            f", {count} {kind}" for kind, count in counts.items() if kind != "readings" and count) + "\n"
    delays = summary.delays
    text += (f"delay from a sample's last reading to its answer: median {1e3 * delays['median']:.3g} ms, p99 {1e3 * delays['p99']:.3g} ms, "
             f"worst {1e3 * delays['worst']:.3g} ms; {counted(summary.deadline_misses, 'deadline')} missed\n")
    if any(summary.lost.values()):
        text += "lost: " + ", ".join(f"{count} {name}" for name, count in summary.lost.items() if count) + "\n"
    if dropped:
        text += f"{dropped} lines not read\n"
    return text


def opened(stack: contextlib.ExitStack, path: str | None, *, appears: bool = False) -> Output | None:
    """Until the stack ends."""
    return None if path is None else stack.enter_context(Output(path, appears=appears))


def check_options(options: argparse.Namespace) -> None:
    """Raises ValueError for options that contradict each other, and where an output is an input, or two are one file."""
    if bool(options.input) == bool(options.mapping):
        raise ValueError("expected either --mapping or --input")
    others = ("transport",) if options.input else ("control", "columns", "format")
    for name in others:
        if getattr(options, name) is not None:
            raise ValueError(f"--{name} with --{'input' if options.input else 'mapping'}")
    if options.rate is not None and not 0 < options.rate < float("inf"):
        raise ValueError(f"--rate {options.rate:g}; expected a number > 0")
    read = [options.robot, options.sensors, options.mapping, options.zenoh_config, options.control,
            *(path for path in options.input if path != "-")]
    if ("-" in options.input or (options.mapping and options.transport in (None, "lines"))) and os.path.isfile("/dev/stdin"):
        read.append("/dev/stdin")  # the file that it was redirected from
    output = options.output or default_output(options)
    if options.diagnostics == output == "-":
        raise ValueError("-o - and --diagnostics -: the same file")
    written = ["/dev/stdout" if path == "-" else path for path in (output, options.diagnostics, options.record) if path]
    refuse_clash([path for path in written if not is_device(path)], [path for path in read if path])


def default_output(options: argparse.Namespace) -> str | None:
    """Where samples go that nobody said a place for: what has other ways out writes none."""
    return None if not options.input and options.transport in ("ros", "zenoh", "lcm") else "-"


def is_device(path: str) -> bool:
    return os.path.exists(path) and stat.S_ISCHR(os.stat(path).st_mode)


def live_run(options: argparse.Namespace) -> int:
    check_options(options)
    topics = Topics(Mapping_.read(options.mapping), options.mapping) if options.mapping else None
    robot = sd.load_urdf(options.robot, floating=options.floating, mimic=options.mimic)
    max_gap = topics.max_gap if topics else 0.1
    live = Live(robot, options.sensors, over_time=options.over_time, outputs=options.outputs.split(",") if options.outputs else None,
                sd=options.sd, covariances=options.sd and options.transport == "ros", rate=(topics and topics.mapping.rate) or None if options.rate is None else options.rate,
                sources=topics.names if topics else options.input, wait=options.wait,
                max_gap=max_gap if options.max_gap is None else options.max_gap, missing_after=options.missing_after,
                priority=options.priority, lock_memory=options.lock_memory, record=options.record)
    with contextlib.ExitStack() as stack:
        out = opened(stack, options.output or default_output(options), appears=True)
        diagnostics = opened(stack, options.diagnostics)
        page = None
        if options.watch is not None:
            from ._watch import Page

            page = stack.enter_context(Page(robot, live, options.watch))
            tell(f"watch {page.address}\n")
        transport = transport_of(options, robot, live)
        run = Run(live, topics, transport, output=out, diagnostics=diagnostics, quiet=options.quiet,
                  also=page.add if page else None)
        outputs = [each for each in (out, diagnostics) if each]
        for each in outputs:
            each.is_asked = run.is_asked
        with ended_by_signal(run):
            try:
                summary = run.run()
            except BaseException:
                if run.samples:  # what was answered stays
                    with contextlib.suppress(OSError):
                        for each in outputs:
                            each.finish()
                raise
            if isinstance(transport, Streams):
                transport.check_columns()
            for each in outputs:
                each.finish()
        dropped = sum(each.dropped for each in outputs)
    if options.json:
        tell(json.dumps({**summary._asdict(), "messages": run.inlet.counts, "unknown": run.inlet.unknown, "not_read": dropped}) + "\n")
    elif not options.quiet:
        tell(words(summary, dropped))
    if isinstance(transport, Streams):
        transport.check(summary.answered)
    if why := run.inlet.error or (run.inlet.why if summary.samples == 0 and run.inlet.malformed() else ""):
        name = options.transport or "lines"
        raise sd.InputError(f"{name}: {why}; expected messages of the mapping's topics", name)
    return NUMERICAL if summary.samples and not summary.answered else DONE


def main(arguments_given: list[str] | None = None) -> int:
    options = arguments().parse_args(arguments_given)
    try:
        return live_run(options)
    except sd.InputError as error:
        code, text = INPUT, str(error)
    except sd.AnswerIsNo as error:
        code, text = NO, str(error)
    except (ValueError, ImportError) as error:
        code, text = USAGE, str(error)
    except OSError as error:
        code, text = INPUT, f"{error.filename or 'live'}: {error.strerror or error}; expected one that can be used"
    except RuntimeError as error:  # of the operating system, by way of C++
        code, text = INPUT, str(error)
    tell(text + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
