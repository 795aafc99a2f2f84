"""The mouse and keyboard inputs that a viewer reports, counted in the manual's order."""

from __future__ import annotations

from rofunc_isaac.isaacgym._enum import GymEnum


class MouseInput(GymEnum):
    MOUSE_LEFT_BUTTON = 0
    MOUSE_RIGHT_BUTTON = 1
    MOUSE_MIDDLE_BUTTON = 2
    MOUSE_FORWARD_BUTTON = 3
    MOUSE_BACK_BUTTON = 4
    MOUSE_SCROLL_RIGHT = 5
    MOUSE_SCROLL_LEFT = 6
    MOUSE_SCROLL_UP = 7
    MOUSE_SCROLL_DOWN = 8
    MOUSE_MOVE_RIGHT = 9
    MOUSE_MOVE_LEFT = 10
    MOUSE_MOVE_UP = 11
    MOUSE_MOVE_DOWN = 12


class KeyboardInput(GymEnum):
    KEY_SPACE = 0
    KEY_APOSTROPHE = 1
    KEY_COMMA = 2
    KEY_MINUS = 3
    KEY_PERIOD = 4
    KEY_SLASH = 5
    KEY_0 = 6
    KEY_1 = 7
    KEY_2 = 8
    KEY_3 = 9
    KEY_4 = 10
    KEY_5 = 11
    KEY_6 = 12
    KEY_7 = 13
    KEY_8 = 14
    KEY_9 = 15
    KEY_SEMICOLON = 16
    KEY_EQUAL = 17
    KEY_A = 18
    KEY_B = 19
    KEY_C = 20
    KEY_D = 21
    KEY_E = 22
    KEY_F = 23
    KEY_G = 24
    KEY_H = 25
    KEY_I = 26
    KEY_J = 27
    KEY_K = 28
    KEY_L = 29
    KEY_M = 30
    KEY_N = 31
    KEY_O = 32
    KEY_P = 33
    KEY_Q = 34
    KEY_R = 35
    KEY_S = 36
    KEY_T = 37
    KEY_U = 38
    KEY_V = 39
    KEY_W = 40
    KEY_X = 41
    KEY_Y = 42
    KEY_Z = 43
    KEY_LEFT_BRACKET = 44
    KEY_BACKSLASH = 45
    KEY_RIGHT_BRACKET = 46
    KEY_GRAVE_ACCENT = 47
    KEY_ESCAPE = 48
    KEY_TAB = 49
    KEY_ENTER = 50
    KEY_BACKSPACE = 51
    KEY_INSERT = 52
    KEY_DEL = 53
    KEY_RIGHT = 54
    KEY_LEFT = 55
    KEY_DOWN = 56
    KEY_UP = 57
    KEY_PAGE_UP = 58
    KEY_PAGE_DOWN = 59
    KEY_HOME = 60
    KEY_END = 61
    KEY_CAPS_LOCK = 62
    KEY_SCROLL_LOCK = 63
    KEY_NUM_LOCK = 64
    KEY_PRINT_SCREEN = 65
    KEY_PAUSE = 66
    KEY_F1 = 67
    KEY_F2 = 68
    KEY_F3 = 69
    KEY_F4 = 70
    KEY_F5 = 71
    KEY_F6 = 72
    KEY_F7 = 73
    KEY_F8 = 74
    KEY_F9 = 75
    KEY_F10 = 76
    KEY_F11 = 77
    KEY_F12 = 78
    KEY_NUMPAD_0 = 79
    KEY_NUMPAD_1 = 80
    KEY_NUMPAD_2 = 81
    KEY_NUMPAD_3 = 82
    KEY_NUMPAD_4 = 83
    KEY_NUMPAD_5 = 84
    KEY_NUMPAD_6 = 85
    KEY_NUMPAD_7 = 86
    KEY_NUMPAD_8 = 87
    KEY_NUMPAD_9 = 88
    KEY_NUMPAD_DEL = 89
    KEY_NUMPAD_DIVIDE = 90
    KEY_NUMPAD_MULTIPLY = 91
    KEY_NUMPAD_SUBTRACT = 92
    KEY_NUMPAD_ADD = 93
    KEY_NUMPAD_ENTER = 94
    KEY_NUMPAD_EQUAL = 95
    KEY_LEFT_SHIFT = 96
    KEY_LEFT_CONTROL = 97
    KEY_LEFT_ALT = 98
    KEY_LEFT_SUPER = 99
    KEY_RIGHT_SHIFT = 100
    KEY_RIGHT_CONTROL = 101
    KEY_RIGHT_ALT = 102
    KEY_RIGHT_SUPER = 103
    KEY_MENU = 104


# The members under their module-level names.
(
    MOUSE_LEFT_BUTTON,
    MOUSE_RIGHT_BUTTON,
    MOUSE_MIDDLE_BUTTON,
    MOUSE_FORWARD_BUTTON,
    MOUSE_BACK_BUTTON,
    MOUSE_SCROLL_RIGHT,
    MOUSE_SCROLL_LEFT,
    MOUSE_SCROLL_UP,
    MOUSE_SCROLL_DOWN,
    MOUSE_MOVE_RIGHT,
    MOUSE_MOVE_LEFT,
    MOUSE_MOVE_UP,
    MOUSE_MOVE_DOWN,
) = MouseInput
(
    KEY_SPACE,
    KEY_APOSTROPHE,
    KEY_COMMA,
    KEY_MINUS,
    KEY_PERIOD,
    KEY_SLASH,
    KEY_0,
    KEY_1,
    KEY_2,
    KEY_3,
    KEY_4,
    KEY_5,
    KEY_6,
    KEY_7,
    KEY_8,
    KEY_9,
    KEY_SEMICOLON,
    KEY_EQUAL,
    KEY_A,
    KEY_B,
    KEY_C,
    KEY_D,
    KEY_E,
    KEY_F,
    KEY_G,
    KEY_H,
    KEY_I,
    KEY_J,
    KEY_K,
    KEY_L,
    KEY_M,
    KEY_N,
    KEY_O,
    KEY_P,
    KEY_Q,
    KEY_R,
    KEY_S,
    KEY_T,
    KEY_U,
    KEY_V,
    KEY_W,
    KEY_X,
    KEY_Y,
    KEY_Z,
    KEY_LEFT_BRACKET,
    KEY_BACKSLASH,
    KEY_RIGHT_BRACKET,
    KEY_GRAVE_ACCENT,
    KEY_ESCAPE,
    KEY_TAB,
    KEY_ENTER,
    KEY_BACKSPACE,
    KEY_INSERT,
    KEY_DEL,
    KEY_RIGHT,
    KEY_LEFT,
    KEY_DOWN,
    KEY_UP,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_CAPS_LOCK,
    KEY_SCROLL_LOCK,
    KEY_NUM_LOCK,
    KEY_PRINT_SCREEN,
    KEY_PAUSE,
    KEY_F1,
    KEY_F2,
    KEY_F3,
    KEY_F4,
    KEY_F5,
    KEY_F6,
    KEY_F7,
    KEY_F8,
    KEY_F9,
    KEY_F10,
    KEY_F11,
    KEY_F12,
    KEY_NUMPAD_0,
    KEY_NUMPAD_1,
    KEY_NUMPAD_2,
    KEY_NUMPAD_3,
    KEY_NUMPAD_4,
    KEY_NUMPAD_5,
    KEY_NUMPAD_6,
    KEY_NUMPAD_7,
    KEY_NUMPAD_8,
    KEY_NUMPAD_9,
    KEY_NUMPAD_DEL,
    KEY_NUMPAD_DIVIDE,
    KEY_NUMPAD_MULTIPLY,
    KEY_NUMPAD_SUBTRACT,
    KEY_NUMPAD_ADD,
    KEY_NUMPAD_ENTER,
    KEY_NUMPAD_EQUAL,
    KEY_LEFT_SHIFT,
    KEY_LEFT_CONTROL,
    KEY_LEFT_ALT,
    KEY_LEFT_SUPER,
    KEY_RIGHT_SHIFT,
    KEY_RIGHT_CONTROL,
    KEY_RIGHT_ALT,
    KEY_RIGHT_SUPER,
    KEY_MENU,
) = KeyboardInput

__all__ = [
    "KEY_0",
    "KEY_1",
    "KEY_2",
    "KEY_3",
    "KEY_4",
    "KEY_5",
    "KEY_6",
    "KEY_7",
    "KEY_8",
    "KEY_9",
    "KEY_A",
    "KEY_APOSTROPHE",
    "KEY_B",
    "KEY_BACKSLASH",
    "KEY_BACKSPACE",
    "KEY_C",
    "KEY_CAPS_LOCK",
    "KEY_COMMA",
    "KEY_D",
    "KEY_DEL",
    "KEY_DOWN",
    "KEY_E",
    "KEY_END",
    "KEY_ENTER",
    "KEY_EQUAL",
    "KEY_ESCAPE",
    "KEY_F",
    "KEY_F1",
    "KEY_F2",
    "KEY_F3",
    "KEY_F4",
    "KEY_F5",
    "KEY_F6",
    "KEY_F7",
    "KEY_F8",
    "KEY_F9",
    "KEY_F10",
    "KEY_F11",
    "KEY_F12",
    "KEY_G",
    "KEY_GRAVE_ACCENT",
    "KEY_H",
    "KEY_HOME",
    "KEY_I",
    "KEY_INSERT",
    "KEY_J",
    "KEY_K",
    "KEY_L",
    "KEY_LEFT",
    "KEY_LEFT_ALT",
    "KEY_LEFT_BRACKET",
    "KEY_LEFT_CONTROL",
    "KEY_LEFT_SHIFT",
    "KEY_LEFT_SUPER",
    "KEY_M",
    "KEY_MENU",
    "KEY_MINUS",
    "KEY_N",
    "KEY_NUMPAD_0",
    "KEY_NUMPAD_1",
    "KEY_NUMPAD_2",
    "KEY_NUMPAD_3",
    "KEY_NUMPAD_4",
    "KEY_NUMPAD_5",
    "KEY_NUMPAD_6",
    "KEY_NUMPAD_7",
    "KEY_NUMPAD_8",
    "KEY_NUMPAD_9",
    "KEY_NUMPAD_ADD",
    "KEY_NUMPAD_DEL",
    "KEY_NUMPAD_DIVIDE",
    "KEY_NUMPAD_ENTER",
    "KEY_NUMPAD_EQUAL",
    "KEY_NUMPAD_MULTIPLY",
    "KEY_NUMPAD_SUBTRACT",
    "KEY_NUM_LOCK",
    "KEY_O",
    "KEY_P",
    "KEY_PAGE_DOWN",
    "KEY_PAGE_UP",
    "KEY_PAUSE",
    "KEY_PERIOD",
    "KEY_PRINT_SCREEN",
    "KEY_Q",
    "KEY_R",
    "KEY_RIGHT",
    "KEY_RIGHT_ALT",
    "KEY_RIGHT_BRACKET",
    "KEY_RIGHT_CONTROL",
    "KEY_RIGHT_SHIFT",
    "KEY_RIGHT_SUPER",
    "KEY_S",
    "KEY_SCROLL_LOCK",
    "KEY_SEMICOLON",
    "KEY_SLASH",
    "KEY_SPACE",
    "KEY_T",
    "KEY_TAB",
    "KEY_U",
    "KEY_UP",
    "KEY_V",
    "KEY_W",
    "KEY_X",
    "KEY_Y",
    "KEY_Z",
    "MOUSE_BACK_BUTTON",
    "MOUSE_FORWARD_BUTTON",
    "MOUSE_LEFT_BUTTON",
    "MOUSE_MIDDLE_BUTTON",
    "MOUSE_MOVE_DOWN",
    "MOUSE_MOVE_LEFT",
    "MOUSE_MOVE_RIGHT",
    "MOUSE_MOVE_UP",
    "MOUSE_RIGHT_BUTTON",
    "MOUSE_SCROLL_DOWN",
    "MOUSE_SCROLL_LEFT",
    "MOUSE_SCROLL_RIGHT",
    "MOUSE_SCROLL_UP",
    "KeyboardInput",
    "MouseInput",
]
