# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # What orders of elimination cost
# The same equations, eliminated in different orders, cost different numbers of operations. They are counted exactly.

# %%
import sparsedyn as sd

robot = sd.load_urdf("robots/arm.urdf")
plans = {name: sd.optimise(robot, name) for name in ("inverse-dynamics", "forward-dynamics")}
for name, plan in plans.items():
    print(name, plan)

# %%
figure = sd.plot.flops(plans["forward-dynamics"])

# %% [markdown]
# The matrix in the chosen order, its fill-in in red:

# %%
sd.plot.spy(plans["forward-dynamics"])

# %% [markdown]
# Recorded as straight-line code, with constants folded and equal values computed once, fewer are left:

# %%
for algorithm, plan in (("rnea", plans["inverse-dynamics"]), ("aba", plans["forward-dynamics"])):
    program = sd.generate(robot, algorithm)
    print(algorithm, program.flops)
    assert sum(program.flops.values()) < sum(plan.flops.values()) * 3
