# The reader's own files of docs/state-over-time.md: a robot on legs, an arm, their sensor sets as the page shows them, and logs.
# The simulated legs swing, so that the feet are stated to be in the air: what is tested is that the commands run.
cp my.urdf robot.urdf
cat >set.json <<'END'
{"sensors": [
  {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 0.001},
  {"name": "gyro", "type": "gyroscope", "link": "trunk", "sigma": 0.002, "bias": {"sigma": 0.01, "walk": 1e-4}},
  {"name": "acc", "type": "accelerometer", "link": "trunk", "xyz": [0.1, 0, 0.05], "sigma": 0.05, "bias": {"sigma": 0.1, "walk": 1e-3}},
  {"name": "foot", "type": "contact", "link": ["lf_foot", "rf_foot", "lh_foot", "rh_foot"], "flag": "y.feet.on"}]}
END
sparsedyn simulate robot.urdf --floating --sensors set.json --seconds 2 --rate 200 -o swing.csv
sed '1s/$/,y.feet.on/; 1!s/$/,0/' swing.csv >walk.csv
sed 's/tool_tip/hand/' robots/arm.urdf >arm.urdf
cat >arm.json <<'END'
{"sensors": [
  {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 1e-4},
  {"name": "torques", "type": "joint_torque", "joint": "*", "sigma": 0.1, "bias": {"sigma": 0.5, "walk": 0.01}},
  {"name": "nothing", "type": "external_wrench", "link": "*", "except": ["hand"], "value": 0}],
 "unknown": ["fx.hand"], "external_wrench": {"sigma": [3, 30], "walk": [3, 30]}}
END
sparsedyn simulate arm.urdf --sensors arm.json --seconds 1 --rate 200 -o arm.csv
