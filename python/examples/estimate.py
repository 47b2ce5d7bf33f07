"""Torques of an arm from noisy motors and accelerometers, with their standard deviations, beside the truth."""

import numpy as np
import sparsedyn as sd

sensors = sd.SensorSet({
    "name": "arm",
    "sensors": [
        {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.5},
        {"name": "imu", "type": "accelerometer", "link": "*", "sigma": 0.05},
        {"name": "air", "type": "external_wrench", "link": "*", "value": 0},
    ],
})
robot = sd.load_urdf("robots/arm.urdf")
print(sd.check(robot, sensors))
solver = sd.Solver(robot, sensors, outputs=["tau"], sd=True)

try:
    log = sd.simulate(robot, sensors, seconds=5, rate=100)
except ImportError as error:  # tables need pyarrow
    print(f"left out: {error}")
    raise SystemExit(0) from None
estimate = solver.solve_log(log)
for name in robot.force_names:
    off = np.asarray(estimate[f"tau.{name}"]) - np.asarray(log[f"tau.{name}"])
    print(f"{name:24s} error {off.std():.3f}, said {np.mean(estimate[f'sd.tau.{name}']):.3f} N·m")
