"""Files that other people's programs made (.ci/full): a data set by lerobot itself, a ROS 2 bag by rosbags. Value by value.

lerobot's writer computes nothing by torch, but imports it: without torch it gets empty modules of that name.
"""

import importlib.machinery
import importlib.util
import sys
import types

import numpy as np
import pytest

import sparsedyn as sd

EPISODES, FRAMES, FPS = 3, 40, 50
NAMES = ["shoulder.pos", "elbow.pos"]


class Empty(types.ModuleType):
    """Classes and modules of any name, with nothing in them."""

    __version__ = "0"
    __path__: list[str] = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {}) if name[0].isupper() or name in ("device", "dtype") else Empty(f"{self.__name__}.{name}")
        setattr(self, name, made)
        return made

    def __call__(self, *arguments, **options):
        return lambda function: function


class Finder:
    """Of modules that are not installed."""

    roots = {name for name in ("torch", "torchvision", "accelerate") if importlib.util.find_spec(name) is None}

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in self.roots else None

    def create_module(self, spec):
        return Empty(spec.name)

    def exec_module(self, module):
        pass


def state_of(episode, frame):
    """What is recorded: single precision, in degrees."""
    t = frame / FPS
    return np.array([90 * np.sin(t + episode), 45 * np.cos(t)], dtype=np.float32)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    pytest.importorskip("lerobot")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
        from lerobot.datasets.lerobot_dataset import LeRobotDataset

        folder = tmp_path_factory.mktemp("lerobot") / "set"
        vector = {"dtype": "float32", "shape": (2,), "names": NAMES}
        made = LeRobotDataset.create("some/one", fps=FPS, features={"observation.state": vector, "action": vector}, root=folder,
                                     robot_type="so100", use_videos=False)
        for episode in range(EPISODES):
            for frame in range(FRAMES):
                state = state_of(episode, frame)
                made.add_frame({"observation.state": state, "action": state + 1, "task": "reach"})
            made.save_episode()
        made.finalize()
    return folder


def test_a_data_set_by_lerobot(recorded, tmp_path):
    table = sd.open_log(recorded).read()
    states = np.array([state_of(episode, frame) for episode in range(EPISODES) for frame in range(FRAMES)])
    assert table.num_rows == EPISODES * FRAMES
    for k, name in enumerate(NAMES):
        assert np.array_equal(table[f"observation.state.{name}"].to_numpy(), states[:, k].astype(float))
        assert np.array_equal(table[f"action.{name}"].to_numpy(), (states[:, k] + np.float32(1)).astype(float))
    assert np.array_equal(table["episode_index"].to_numpy(), np.repeat(np.arange(EPISODES), FRAMES))
    assert np.array_equal(table["frame_index"].to_numpy(), np.tile(np.arange(FRAMES), EPISODES))
    assert np.array_equal(table["time"].to_numpy(), np.tile(np.arange(FRAMES) / FPS, EPISODES))
    degrees = {"features": {"observation.state": {"to": "q", "joints": {"elbow.pos": "elbow"}, "unit": "deg"}}}
    converted = sd.convert(recorded, tmp_path / "out", degrees)
    angles = sd.open_log(converted.folder).read()["q.elbow"].to_numpy()
    assert converted.rows == table.num_rows and np.abs(angles - np.radians(states[:, 1].astype(float))).max() < 1e-15


def test_a_bag_by_rosbags(tmp_path):
    """Joint states, an IMU and a foot's wrench, as another implementation of CDR and MCAP writes them."""
    rosbag2, typesys = pytest.importorskip("rosbags.rosbag2"), pytest.importorskip("rosbags.typesys")
    store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)

    def of(name):
        return store.types[name]

    vector = of("geometry_msgs/msg/Vector3")
    kinds = {"/joints": "sensor_msgs/msg/JointState", "/imu": "sensor_msgs/msg/Imu", "/foot": "geometry_msgs/msg/WrenchStamped"}
    with rosbag2.Writer(tmp_path / "bag", version=9, storage_plugin=rosbag2.StoragePlugin.MCAP) as writer:
        topics = {name: writer.add_connection(name, kind, typestore=store) for name, kind in kinds.items()}
        for k in range(100):
            at, nine = 1_700_000_000 * 10**9 + k * 5_000_000, np.zeros(9)
            stamp = of("builtin_interfaces/msg/Time")(sec=at // 10**9, nanosec=at % 10**9)
            header = of("std_msgs/msg/Header")(stamp=stamp, frame_id="")
            messages = {
                "/joints": of(kinds["/joints"])(header=header, name=["b", "a"], position=np.array([k * 0.1, -k * 0.2]),
                                                velocity=np.array([1.0, 2.0]), effort=np.array([np.nan, k])),
                "/imu": of(kinds["/imu"])(
                    header=header, orientation=of("geometry_msgs/msg/Quaternion")(x=0.0, y=0.6, z=0.0, w=0.8),
                    orientation_covariance=nine, angular_velocity=vector(x=0.1 * k, y=0.0, z=1.0), angular_velocity_covariance=nine,
                    linear_acceleration=vector(x=1.0, y=2.0, z=9.0 + k), linear_acceleration_covariance=nine),
                "/foot": of(kinds["/foot"])(header=header, wrench=of("geometry_msgs/msg/Wrench")(
                    force=vector(x=k + 0.5, y=1.0, z=2.0), torque=vector(x=3.0, y=4.0, z=5.0 - k))),
            }
            for later, (name, message) in enumerate(messages.items()):
                writer.write(topics[name], at + 1000 * later, store.serialize_cdr(message, kinds[name]))
    mapping = {"clock": {"topic": "/joints"}, "topics": {
        "/joints": {"position": "q", "velocity": "dq", "effort": "y.motors"}, "/foot": {"force": "y.foot", "torque": "y.foot"},
        "/imu": {"orientation": "q.base", "angular_velocity": "dq.base", "linear_acceleration": "y.imu"}}}
    table = sd.open_log(tmp_path / "bag", mapping).read()
    k, one = np.arange(100), np.ones(100)
    expected = {
        "q.b": k * 0.1, "q.a": -k * 0.2, "dq.b": one, "dq.a": 2 * one, "y.motors.b": one * np.nan, "y.motors.a": k,
        "y.foot.fx": k + 0.5, "y.foot.fy": one, "y.foot.fz": 2 * one, "y.foot.nx": 3 * one, "y.foot.ny": 4 * one, "y.foot.nz": 5.0 - k,
        "q.base.qx": 0 * one, "q.base.qy": 0.6 * one, "q.base.qz": 0 * one, "q.base.qw": 0.8 * one, "dq.base.wx": 0.1 * k,
        "dq.base.wy": 0 * one, "dq.base.wz": one, "y.imu.x": one, "y.imu.y": 2 * one, "y.imu.z": 9.0 + k,
    }
    assert set(table.column_names) == {"time", *expected} and table.num_rows == 100
    for name, values in expected.items():
        assert np.array_equal(table[name].to_numpy(), values, equal_nan=True), name
    assert np.abs(table["time"].to_numpy() - 1.7e9 - k * 0.005).max() < 1e-6
