from isaacgym._closed import close, open_
from rofunc_isaac.isaacgym import gymtorch as _ours


def wrap_tensor(gym_tensor):
    return _ours.wrap_tensor(open_(gym_tensor))


def unwrap_tensor(torch_tensor):
    return close(_ours.unwrap_tensor(torch_tensor))
