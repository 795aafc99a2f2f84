"""Tasks by the name that stands in their YAML."""

from isaacgymenvs.tasks.slider import Slider, SliderAtOnce

isaacgym_task_map = {"Slider": Slider, "SliderAtOnce": SliderAtOnce}
