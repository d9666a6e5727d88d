#!/usr/bin/env python3
"""Shop sells things.

More.
"""
from __future__ import annotations
import os, sys as system
import a.b.c as abc
from . import near
from ..far.away import (one as uno,
                        two)

LIMIT = 10
_hidden: int = 3
TEXT = """
def not_a_function(): pass
"""


@decorated(1)
@other
class Shop(Base, metaclass=Meta):
    """One shop."""
    size = 3

    def __init__(self, name: str = "def x():", *args) -> None:
        '''Make it.'''
        self.name = helper(name)
        if name:
            def inner():
                return deep()

    async def sell(self,
                   thing,
                   price=dict(a=1)):
        await self.till.take(thing)
        return {
  "x": f"{thing}",
}

    class Inner:
        def method(self): pass


if os.name == "nt":
    def helper(x): return x  # "one line"
else:
    # a comment that says nothing about def fake():
    def helper(x):
        return \
            other(x)


def last(): return Shop("x")
