"""`tablewright pricekeeper ...` as it is typed, on a data folder."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import tablewright.cli.main as main
from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import update
from tablewright.server import ServerThread
from tablewright.service.kit.entities import AuditEntry
from tablewright.systems.pricekeeper import reads, writes
from tablewright.systems.pricekeeper.config import PendingPrice, RegionClass, ServiceTier
from tablewright.systems.pricekeeper.cli import benching, importing, words
from tablewright.systems.pricekeeper.spend import UsageCounter

SONNET, NOVA = "anthropic.claude-sonnet-4-5-20250929-v1:0", "amazon.nova-lite-v1:0"
