"""Functions of C that are known by their addresses, called from kernels and from plain Python; they return a status, an int.

start_of(array)             the address of an array's first number
word_at(a), put_word(a, x)  a word of 64 bits in memory
call_at(f, a, t)            a word and a number as arguments
call1(f, a) ... call7       words as arguments: addresses, sizes, flags
"""

import ctypes
from typing import Any

from mbsim.jit.kernels import COMPILES, Intrinsic

if COMPILES:
    start_of: Any = Intrinsic("calls_by_address", 0)
    word_at: Any = Intrinsic("calls_by_address", 1)
    put_word: Any = Intrinsic("calls_by_address", 2)
    call_at: Any = Intrinsic("calls_by_address", 3)
    call1: Any = Intrinsic("calls_by_address", 4)
    call2: Any = Intrinsic("calls_by_address", 5)
    call3: Any = Intrinsic("calls_by_address", 6)
    call4: Any = Intrinsic("calls_by_address", 7)
    call5: Any = Intrinsic("calls_by_address", 8)
    call7: Any = Intrinsic("calls_by_address", 9)
else:

    def start_of(array):
        return array.__array_interface__["data"][0]

    def word_at(address):
        return ctypes.c_int64.from_address(address).value

    def put_word(address, word):
        ctypes.c_int64.from_address(address).value = word
        return word

    def call_at(function, word, number):
        return ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64, ctypes.c_double)(function)(word, number)

    def call1(function, *words):
        return ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_int64] * len(words))(function)(*words)

    call2 = call3 = call4 = call5 = call7 = call1
