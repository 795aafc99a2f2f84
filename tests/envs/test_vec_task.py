"""VecTask's promises, on a block that slides along a rail: its motion has a closed form."""

from __future__ import annotations

import inspect
import io
from dataclasses import dataclass, field

import mujoco
import pytest

from rofunc_isaac.envs.vec_task import VecTask

import torch  # isort: skip
from isaacgym import gymapi, gymtorch  # isort: skip

from rofunc_isaac.compiler import can_compile
from rofunc_isaac.envs.config import EnvConfig, SimConfig, SolverConfig, TaskConfig
from rofunc_isaac.errors import UserError
from rofunc_isaac.vec_env import StepResult, VecEnv

MASS = 2.0
FORCE = 10.0
SLIDER = f"""
<mujoco><worldbody><body name="rail"><body name="block">
  <joint name="slide" type="slide" axis="1 0 0"/>
  <geom type="box" size="0.1 0.1 0.1" mass="{MASS}"/>
</body></body></worldbody>
<actuator><motor joint="slide" gear="1"/></actuator></mujoco>"""


@dataclass
class SliderEnvConfig(EnvConfig):
    asset_root: str = ""
    edge: float = 1.0


@dataclass
class SliderConfig(TaskConfig):
    env: SliderEnvConfig = field(default_factory=SliderEnvConfig)


class Slider(VecTask[SliderConfig]):
    """Observes position and velocity, earns its position, ends beyond `edge`."""

    Config = SliderConfig
    num_obs = 2
    num_actions = 1

    def create_envs(self):
        self.events = []
        options = gymapi.AssetOptions()
        options.fix_base_link = True
        asset = self.gym.load_asset(self.sim, self.config.env.asset_root, "slider.xml", options)
        corner = gymapi.Vec3(1.0, 1.0, 1.0)
        for index in range(self.num_envs):
            env = self.gym.create_env(self.sim, gymapi.Vec3(), corner, 4)
            self.gym.create_actor(env, asset, gymapi.Transform(), "slider", index, 1, 0)

    def acquire_tensors(self):
        self.root_states = gymtorch.wrap_tensor(self.gym.acquire_actor_root_state_tensor(self.sim))
        self.dof_states = gymtorch.wrap_tensor(self.gym.acquire_dof_state_tensor(self.sim))
        self.gym.refresh_actor_root_state_tensor(self.sim)
        self.start_roots = self.root_states.clone()
        self.start_dofs = torch.zeros_like(self.dof_states)
        self.efforts = torch.zeros(self.num_envs)

    def pre_physics_step(self, actions):
        self.events.append("act")
        self.seen_actions = actions.clone()
        torch.mul(actions[:, 0], FORCE, out=self.efforts)
        self.gym.set_dof_actuation_force_tensor(self.sim, gymtorch.unwrap_tensor(self.efforts))

    def refresh_tensors(self):
        self.events.append("refresh")
        self.gym.refresh_dof_state_tensor(self.sim)

    def compute_observations(self):
        self.events.append("observe")
        self.obs_buf.copy_(self.dof_states)

    def compute_reward(self):
        self.events.append("reward")
        self.reward_buf.copy_(self.dof_states[:, 0])
        torch.gt(self.dof_states[:, 0].abs(), self.config.env.edge, out=self.terminated_buf)

    def reset_envs(self, mask):
        self.events.append("reset")
        self.uniform(-0.1, 0.1, out=self.start_dofs[:, 0])
        self.reset_state(mask, self.start_roots, self.start_dofs)


@pytest.fixture
def slider(tmp_path):
    """`slider(num_envs, seed=..., sim={...}, **env)`: a Slider."""
    (tmp_path / "slider.xml").write_text(SLIDER)

    def build(num_envs=3, seed=0, sim=None, headless=True, sim_device="cpu", task=Slider, **env):
        config = SliderConfig(
            env=SliderEnvConfig(asset_root=str(tmp_path), **env),
            sim=SimConfig(**{"dt": 0.02, "substeps": 2, "num_threads": 1, **(sim or {})}),
        )
        return task(config, num_envs, sim_device=sim_device, seed=seed, headless=headless)

    return build


def after(state, force, frames=1, dt=0.02, substeps=2):
    """Position and velocity, (envs, 2), after `frames` of semi-implicit Euler."""
    position, velocity = state[:, 0].double(), state[:, 1].double()
    h = dt / substeps
    for _ in range(frames * substeps):
        velocity = velocity + force.double() / MASS * h
        position = position + velocity * h
    return torch.stack([position, velocity], dim=1).float()


def push(*actions):
    return torch.tensor(actions, dtype=torch.float32)[:, None]


def copies(result):
    return StepResult(*(value.clone() for value in result))


def test_a_step_is_act_refresh_observe_reward_reset_observe(slider):
    env = slider()
    env.reset()
    assert env.events == ["reset", "observe"]
    env.events.clear()
    env.step(push(0.0, 0.0, 0.0))
    assert env.events == ["act", "refresh", "observe", "reward", "reset", "observe"]


def test_actions_move_the_world_as_newton_says(slider):
    env = slider()
    start = env.reset().clone()
    result = env.step(push(-1.0, 0.0, 0.5))
    expected = after(start, FORCE * torch.tensor([-1.0, 0.0, 0.5]))
    torch.testing.assert_close(result.obs, expected, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(result.reward, expected[:, 0], rtol=1e-5, atol=1e-6)
    assert torch.equal(result.final_obs, result.obs)


def test_reset_starts_episodes_everywhere(slider):
    env = slider(num_envs=64)
    for _ in range(3):
        env.step(torch.ones(64, 1))
    obs = env.reset()
    assert (env.progress_buf == 0).all()
    assert (obs[:, 0].abs() <= 0.1).all()
    assert (obs[:, 1] == 0).all()
    assert obs[:, 0].std() > 0.02  # each env its own


def test_the_last_observation_of_an_episode_is_kept_from_the_reset(slider):
    env = slider(edge=0.5)
    before = env.reset().clone()
    result = None
    while result is None or not result.terminated.any():
        before = before if result is None else result.obs.clone()
        result = env.step(push(0.0, 1.0, 0.0))
    expected = after(before, FORCE * torch.tensor([0.0, 1.0, 0.0]))
    torch.testing.assert_close(result.final_obs, expected, rtol=1e-5, atol=1e-6)
    assert result.final_obs[1, 0] > 0.5
    assert result.obs[1, 0].abs() <= 0.1
    assert result.obs[1, 1] == 0
    # The reward is that of the step that ended the episode.
    assert result.reward[1] == result.final_obs[1, 0]


def test_only_finished_envs_are_reset(slider):
    env = slider(edge=0.5)
    env.reset()
    steps = 0
    while True:
        result = env.step(push(0.0, 1.0, 0.0))
        steps += 1
        if result.terminated.any():
            break
    assert result.terminated.tolist() == [False, True, False]
    assert env.progress_buf.tolist() == [steps, 0, steps]
    assert torch.equal(result.obs[[0, 2]], result.final_obs[[0, 2]])
    # The new state is the physics' own: it goes on from there.
    start = result.obs.clone()
    result = env.step(push(0.2, 0.2, 0.2))
    torch.testing.assert_close(
        result.obs, after(start, FORCE * torch.full((3,), 0.2)), rtol=1e-5, atol=1e-6
    )


def test_an_episode_lasts_exactly_episode_length_steps(slider):
    env = slider(episode_length=4)
    assert env.max_episode_length == 4
    env.reset()
    for episode in range(3):
        for step in range(1, 5):
            result = env.step(push(0.0, 0.0, 0.0))
            assert result.truncated.tolist() == [step == 4] * 3, (episode, step)
            assert not result.terminated.any()
    assert (env.progress_buf == 0).all()


def test_an_end_by_the_rules_at_the_time_limit_is_no_truncation(slider):
    env = slider(edge=0.2, episode_length=5)
    env.reset()
    env.reset_state(
        torch.ones(3, dtype=torch.bool),
        env.start_roots,
        torch.tensor([[0.0, 0.0], [0.0, 2.2], [0.0, 0.0]]),  # m/s: at 0.22 m after five steps
    )
    for _ in range(4):
        result = env.step(push(0.0, 0.0, 0.0))
        assert not (result.terminated | result.truncated).any()
    result = env.step(push(0.0, 0.0, 0.0))
    assert result.terminated.tolist() == [False, True, False]
    assert result.truncated.tolist() == [True, False, True]


def test_actions_are_clamped(slider):
    env = slider(clip_actions=0.5)
    env.reset()
    actions = push(-7.0, 0.25, 7.0)
    env.step(actions)
    assert env.seen_actions.flatten().tolist() == [-0.5, 0.25, 0.5]
    assert actions.flatten().tolist() == [-7.0, 0.25, 7.0]  # the caller's are left alone


def test_observations_are_clamped_and_rewards_are_not(slider):
    env = slider(clip_observations=0.05, edge=0.5)
    env.reset()
    everywhere = torch.ones(3, dtype=torch.bool)
    env.reset_state(everywhere, env.start_roots, torch.tensor([[0.0, 0.0], [0.3, 0.0], [-0.6, 0]]))
    result = env.step(push(0.0, 0.0, 0.0))
    torch.testing.assert_close(result.final_obs[:, 0], torch.tensor([0.0, 0.05, -0.05]))
    torch.testing.assert_close(result.reward, torch.tensor([0.0, 0.3, -0.6]))
    assert result.terminated.tolist() == [False, False, True]
    assert (result.obs.abs() <= 0.05).all()  # the first observation of the new episode too


@pytest.mark.parametrize("frames", [1, 2, 5])
def test_an_action_is_held_for_control_frequency_inv_frames(slider, frames):
    env = slider(control_frequency_inv=frames)
    start = env.reset().clone()
    result = env.step(push(1.0, -1.0, 0.0))
    expected = after(start, FORCE * torch.tensor([1.0, -1.0, 0.0]), frames)
    torch.testing.assert_close(result.obs, expected, rtol=1e-5, atol=1e-6)
    assert env.progress_buf.tolist() == [1, 1, 1]


@pytest.mark.parametrize("frames", [1, 3])
def test_a_world_that_breaks_down_ends_its_episode_and_is_counted(slider, frames):
    env, twin = (slider(control_frequency_inv=frames) for _ in range(2))
    env.reset()
    twin.reset()
    assert env.metrics()["env/unstable_resets"].tolist() == [0]
    env.sim.batch.view("qvel")[1] = float("nan")
    result, undisturbed = env.step(push(0.1, 0.2, 0.3)), twin.step(push(0.1, 0.2, 0.3))
    assert result.terminated.tolist() == [False, True, False]
    assert not result.truncated.any()
    assert result.reward[1] == 0.0
    assert torch.isfinite(result.final_obs).all()
    assert env.metrics()["env/unstable_resets"].tolist() == [1]
    for field_, others in zip(result, undisturbed):
        assert torch.equal(field_[[0, 2]], others[[0, 2]])
    # A new episode of the task, not the model's start.
    assert 0.0 < result.obs[1, 0].abs() <= 0.1
    assert env.progress_buf.tolist() == [1, 0, 1]
    for _ in range(5):
        result = env.step(push(0.1, 0.2, 0.3))
        assert all(torch.isfinite(value).all() for value in result)
        assert not result.terminated.any()
    assert env.metrics()["env/unstable_resets"].tolist() == [1]


def trajectory(env):
    generator = torch.Generator().manual_seed(5)
    results = [env.reset().clone()]
    for _ in range(40):
        results += copies(env.step(2 * torch.rand(3, 1, generator=generator) - 1))
    return torch.cat([value.flatten().double() for value in results])


def test_the_seed_decides_everything_random(slider):
    numbers = trajectory(slider(seed=1, episode_length=7))
    assert torch.equal(numbers, trajectory(slider(seed=1, episode_length=7)))
    assert not torch.equal(numbers, trajectory(slider(seed=2, episode_length=7)))


def test_torchs_own_seed_does_not_matter_and_stays(slider):
    torch.manual_seed(1)
    numbers = trajectory(slider(seed=1, episode_length=7))
    drawn = torch.rand(1)
    torch.manual_seed(1)
    assert torch.equal(drawn, torch.rand(1))
    assert torch.equal(numbers, trajectory(slider(seed=1, episode_length=7)))


class Branching(Slider):
    """Asks what a tensor holds, which torch's compiler cannot."""

    def compute_observations(self):
        self.obs_buf.copy_(self.dof_states)

    def compute_reward(self):
        fast = bool((self.dof_states[:, 1].abs() > 0.5).any())
        self.reward_buf.copy_(self.dof_states[:, 0] if fast else self.dof_states[:, 1])
        torch.gt(self.dof_states[:, 0].abs(), self.config.env.edge, out=self.terminated_buf)


@pytest.mark.skipif(not can_compile(), reason="needs a C++ compiler")
def test_what_torch_cannot_compile_is_told_and_runs_as_it_is(slider):
    plain, compiled = (slider(task=Branching, seed=1, edge=0.3) for _ in range(2))
    compiled.compile()
    with pytest.warns(RuntimeWarning, match=r"_conclude.*train.compile=False"):
        numbers = trajectory(compiled)
    assert torch.equal(numbers, trajectory(plain))


def test_a_tensor_that_compiled_code_would_not_write_to_is_refused(slider):
    task = slider()
    task.distance = torch.zeros((), dtype=torch.float64)
    with pytest.raises(UserError, match=r"Slider.distance .* torch.zeros\(1\)"):
        task.compile()


@pytest.mark.parametrize("warm_start", [True, False])
def test_the_solvers_settings_reach_the_model(slider, warm_start):
    solver = SolverConfig(iterations=7, tolerance=1e-5, warm_start=warm_start)
    option = slider(sim={"solver": solver}).sim.batch.model.opt
    assert (option.iterations, option.tolerance) == (7, 1e-5)
    flag = int(mujoco.mjtDisableBit.mjDSBL_WARMSTART)
    assert bool(option.disableflags & flag) is not warm_start


def test_buffers_are_allocated_once(slider):
    env = slider(episode_length=3)
    obs = env.reset()
    first = env.step(push(0.0, 0.0, 0.0))
    assert first.obs.data_ptr() == obs.data_ptr()
    for _ in range(5):
        result = env.step(push(1.0, 0.0, 0.0))
        for now, then in zip(result, first):
            assert now.data_ptr() == then.data_ptr()
    assert env.reset().data_ptr() == obs.data_ptr()


def through_a_file(state):
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def run(task, steps):
    """What `steps` steps under actions that depend on what is seen give."""
    obs, results = task.obs_buf, []
    for _ in range(steps):
        result = task.step(torch.sin(7.0 * obs.sum(1, keepdim=True)))
        obs = result.obs
        results.append(copies(result))
    return results


def test_it_goes_on_bit_for_bit_from_its_state(slider):
    task = slider(num_envs=4, edge=0.12, episode_length=9)
    task.reset()
    run(task, 13)
    state = through_a_file(task.state_dict())
    expected = run(task, 25)
    other = slider(num_envs=4, seed=5, edge=0.12, episode_length=9)
    other.reset()
    run(other, 3)
    obs = other.load_state_dict(state)
    assert torch.equal(obs, state["attributes"]["obs_buf"][1])
    for own, theirs in zip(expected, run(other, 25), strict=True):
        assert all(map(torch.equal, own, theirs))
    assert any(result.terminated.any() for result in expected)
    assert any(result.truncated.any() for result in expected)


@pytest.mark.parametrize("steps", [8, 9])
def test_a_reset_next_to_a_restore_is_not_lost(slider, steps):
    """The episodes end in the step after the restore, or ended in the one before it."""
    task = slider(episode_length=9)
    task.reset()
    run(task, steps)
    state = through_a_file(task.state_dict())
    expected = run(task, 2)
    other = slider(seed=1, episode_length=9)
    other.load_state_dict(state)
    for own, theirs in zip(expected, run(other, 2), strict=True):
        assert all(map(torch.equal, own, theirs))


def test_efforts_of_a_frame_that_is_still_to_come_are_kept(slider):
    task = slider(num_envs=1)
    task.reset()
    effort = gymtorch.unwrap_tensor(torch.tensor([4.0]))
    task.gym.set_dof_actuation_force_tensor(task.sim, effort)
    state = through_a_file(task.state_dict())
    other = slider(num_envs=1)
    other.load_state_dict(state)
    other.gym.simulate(other.sim)
    other.gym.refresh_dof_state_tensor(other.sim)
    start = state["attributes"]["dof_states"][1]
    assert torch.allclose(other.dof_states, after(start, torch.tensor([4.0])), atol=1e-6)


def test_the_state_of_other_envs_is_refused(slider):
    state = slider(num_envs=3).state_dict()
    with pytest.raises(UserError, match="3 worlds .* this batch has 2"):
        slider(num_envs=2).load_state_dict(state)
    state["attributes"]["efforts"] = ("tensor", torch.zeros(5))
    with pytest.raises(UserError, match=r"another task: Slider.efforts: shape \(5,\)"):
        slider(num_envs=3).load_state_dict(state)


def test_it_is_a_vec_env(slider):
    # That the signatures agree is mypy's to say: rofunc_isaac.make returns a VecTask as VecEnv.
    env = slider()
    for name in VecEnv.__annotations__:
        assert hasattr(env, name), name
    methods = {n for n, f in vars(VecEnv).items() if inspect.isfunction(f) and n[0] != "_"}
    assert methods == {"reset", "step", "metrics"}
    assert env.device == torch.device("cpu")
    assert (env.num_envs, env.num_obs, env.num_actions) == (3, 2, 1)
    obs, reward, terminated, truncated, final_obs = env.step(push(0.0, 0.0, 0.0))
    for value, dtype, shape in [
        (obs, torch.float32, (3, 2)),
        (reward, torch.float32, (3,)),
        (terminated, torch.bool, (3,)),
        (truncated, torch.bool, (3,)),
        (final_obs, torch.float32, (3, 2)),
    ]:
        assert value.dtype == dtype
        assert value.shape == shape
        assert value.device == env.device
    assert all(value.numel() == 1 for value in env.metrics().values())


def test_a_viewer_is_refused(slider):
    with pytest.raises(UserError, match="headless=False.*no viewer.*headless=True"):
        slider(headless=False)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has CUDA")
def test_cuda_without_cuda_names_the_cpu(slider):
    with pytest.raises(UserError, match="sim_device=cuda:0 needs CUDA.*sim_device=cpu"):
        slider(sim_device="cuda:0")
    config = slider().config
    with pytest.raises(UserError, match="rl_device=cuda:0 needs CUDA.*rl_device=cpu"):
        Slider(config, 1, sim_device="cpu", rl_device="cuda:0")


@pytest.mark.parametrize("name", ["cpux", "gpu", "cuda:x"])
def test_an_unknown_device_is_refused(slider, name):
    config = slider().config
    with pytest.raises(UserError, match=f"sim_device={name} is not a device"):
        Slider(config, 1, sim_device=name)
    with pytest.raises(UserError, match=f"rl_device={name} is not a device"):
        Slider(config, 1, rl_device=name)
