"""Key material: made once, kept well, rotated by adding."""

from __future__ import annotations

import base64
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import jwt
import pytest

from tablewright.service import keys as keys_module
from tablewright.service.key_files import create_private
from tablewright.service.keys import KeyFileError, Keys

HEX = "ab" * 32
TEXT = base64.urlsafe_b64encode(b"\x01" * 32).rstrip(b"=").decode()


def new_keys(folder: Path | None, **environ: str) -> Keys:
    return Keys(folder, environ)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# --- files -----------------------------------------------------------------------------------


def test_keys_are_made_once_and_stay(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "keys"
    first, second = new_keys(folder), new_keys(folder)
    assert first.secret("cursors") == second.secret("cursors")
    assert len(first.secret("cursors")) == 32
    assert list(first.ring("pepper")) == list(second.ring("pepper"))
    assert first.signing("tokens").jwks() == second.signing("tokens").jwks()
    assert first.secret("cursors") != first.secret("others")


def test_nobody_else_may_read_them(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        keys = new_keys(tmp_path / "data" / "keys")
        keys.secret("cursors")
        len(keys.ring("pepper"))
    finally:
        os.umask(before)
    folder = tmp_path / "data" / "keys"
    assert [mode_of(path) for path in (folder, folder / "pepper")] == [0o700, 0o700]
    assert [mode_of(path) for path in (folder / "cursors", folder / "pepper" / "0001")] == [
        0o600,
        0o600,
    ]
    assert sorted(path.name for path in folder.iterdir()) == ["cursors", "pepper"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    new_keys(tmp_path).secret("cursors")
    (tmp_path / "cursors").chmod(0o644)
    with pytest.raises(KeyFileError, match="chmod 600"):
        new_keys(tmp_path).secret("cursors")


@pytest.mark.parametrize("content", ["", "short\n", HEX[:-2], "kid " + TEXT])
def test_a_damaged_secret_is_refused_and_not_replaced(tmp_path: Path, content: str) -> None:
    path = tmp_path / "cursors"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(KeyFileError, match="cursors"):
        new_keys(tmp_path).secret("cursors")
    assert path.read_text() == content


@pytest.mark.parametrize("content", ["", "only-a-kid", f"bad kid! {TEXT}", "kid short"])
def test_a_damaged_ring_is_refused_and_not_replaced(tmp_path: Path, content: str) -> None:
    path = tmp_path / "pepper" / "0001"
    path.parent.mkdir(mode=0o700)
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(KeyFileError, match="0001"):
        len(new_keys(tmp_path).ring("pepper"))
    assert path.read_text() == content


def test_what_a_killed_process_left_behind_is_no_key(tmp_path: Path) -> None:
    ring = tmp_path / "pepper"
    ring.mkdir(mode=0o700)
    (ring / ".0001.5f3a").write_text("half a ke")
    made = new_keys(tmp_path).ring("pepper")
    assert len(made) == 1
    assert made.current.secret == new_keys(tmp_path).ring("pepper").current.secret


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(KeyFileError, match="data"):
        new_keys(tmp_path / "data" / "keys").secret("cursors")


@pytest.mark.parametrize("name", ["", "../up", "a/b", "UPPER", ".hidden", "x" * 64])
def test_names_lead_nowhere_else(tmp_path: Path, name: str) -> None:
    for ask in (new_keys(tmp_path).secret, new_keys(tmp_path).ring, new_keys(None).signing):
        with pytest.raises(KeyFileError):
            ask(name)


def test_a_file_that_is_there_is_never_replaced(tmp_path: Path) -> None:
    """Also when another process made it after we looked."""
    path = tmp_path / "cursors"
    assert create_private(path, "first")
    assert not create_private(path, "second")
    assert path.read_text() == "first\n"
    assert [each.name for each in tmp_path.iterdir()] == ["cursors"]


RACER = """
import json, sys, time
from tablewright.service.keys import Keys
folder, start = sys.argv[1], float(sys.argv[2])
time.sleep(max(0, start - time.time()))
keys = Keys(folder, {})
ring = [[key.kid, key.secret.hex()] for key in keys.ring("pepper")]
text = keys.text("admin.key", lambda: "made by %f" % time.time())[0]
print(json.dumps([keys.secret("cursors").hex(), ring, text]))
"""


def test_processes_that_start_together_agree(tmp_path: Path) -> None:
    import time

    start = str(time.time() + 1.5)
    command = [sys.executable, "-c", RACER, str(tmp_path / "keys"), start]
    racers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
    told = [json.loads(racer.communicate(timeout=30)[0]) for racer in racers]
    assert all(each == told[0] for each in told)
    assert len(told[0][1]) == 1


# --- rotation --------------------------------------------------------------------------------


def test_rotation_adds_a_key_and_keeps_the_old_ones(tmp_path: Path) -> None:
    keys = new_keys(tmp_path)
    old = keys.ring("pepper").current
    kid = keys.rotate("pepper")
    assert keys.ring("pepper").current.kid == kid
    assert [key.kid for key in keys.ring("pepper")] == [kid, old.kid]
    assert keys.ring("pepper").get(old.kid) == old.secret
    assert keys.ring("pepper").get("nobody") is None


def test_another_process_learns_of_a_key_when_it_meets_its_kid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys_module, "_LOOK_AGAIN_SECS", 0.0)
    here, there = new_keys(tmp_path), new_keys(tmp_path)
    before = here.ring("pepper").current
    assert there.ring("pepper").current == before
    kid = there.rotate("pepper")
    assert here.ring("pepper").current == before, "it has not looked yet"
    assert here.ring("pepper").get(kid) == there.ring("pepper").get(kid)
    assert here.ring("pepper").current.kid == kid


def test_strange_kids_do_not_make_it_read_the_folder_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = new_keys(tmp_path).ring("pepper")
    assert ring.get("strange") is None
    reads: list[object] = []
    monkeypatch.setattr(ring, "_load", lambda: reads.append(None))
    for _ in range(100):
        ring.get("strange")
    assert reads == []


def test_a_retired_key_is_gone(tmp_path: Path) -> None:
    keys = new_keys(tmp_path)
    old = keys.ring("pepper").current.kid
    keys.rotate("pepper")
    (tmp_path / "pepper" / "0001").unlink()
    assert new_keys(tmp_path).ring("pepper").get(old) is None
    keys.rotate("pepper")
    assert sorted(path.name for path in (tmp_path / "pepper").iterdir()) == ["0002", "0003"]


def test_known_keys_outlive_trouble_with_their_files(tmp_path: Path) -> None:
    ring = new_keys(tmp_path).ring("pepper")
    known = ring.current
    (tmp_path / "pepper" / "0001").write_text("oops")
    ring.renew()
    assert ring.current == known


# --- the environment, and no folder ----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (HEX, b"\xab" * 32),
        (TEXT, b"\x01" * 32),
        (TEXT + "=", b"\x01" * 32),
        (f" kid-1:{HEX} ", b"\xab" * 32),
    ],
)
def test_the_environment_gives_a_key(tmp_path: Path, text: str, secret: bytes) -> None:
    keys = new_keys(tmp_path, TABLEWRIGHT_KEY_LOCAL_ISSUER=text)
    assert keys.secret("local-issuer") == secret
    assert list(tmp_path.iterdir()) == []


def test_the_environment_gives_a_ring(tmp_path: Path) -> None:
    keys = new_keys(tmp_path, TABLEWRIGHT_KEY_PEPPER=f"new:{TEXT},old:{HEX}")
    ring = keys.ring("pepper")
    assert [key.kid for key in ring] == ["new", "old"]
    assert ring.get("old") == b"\xab" * 32
    with pytest.raises(KeyFileError, match="TABLEWRIGHT_KEY_PEPPER"):
        keys.rotate("pepper")


def test_a_key_without_a_kid_has_the_same_one_everywhere() -> None:
    kids = {new_keys(None, TABLEWRIGHT_KEY_PEPPER=HEX).ring("pepper").current.kid for _ in "ab"}
    assert len(kids) == 1
    assert HEX[:8] not in kids


@pytest.mark.parametrize("text", ["password", HEX[:-1], f"bad kid:{HEX}", f"{HEX},", "é" * 43])
def test_a_wrong_variable_is_named(text: str) -> None:
    with pytest.raises(KeyFileError, match="TABLEWRIGHT_KEY_PEPPER") as caught:
        new_keys(None, TABLEWRIGHT_KEY_PEPPER=text).ring("pepper")
    assert text not in str(caught.value)


def test_without_a_folder_keys_last_as_long_as_the_process() -> None:
    keys = new_keys(None)
    assert keys.secret("cursors") == keys.secret("cursors")
    assert keys.ring("pepper").current == keys.ring("pepper").current
    assert keys.text("admin.key", lambda: "a") == ("a", True)
    assert keys.text("admin.key", lambda: "b") == ("a", False)
    assert new_keys(None).secret("cursors") != keys.secret("cursors")
    with pytest.raises(KeyFileError):
        keys.rotate("pepper")


def test_a_text_is_kept_like_a_key(tmp_path: Path) -> None:
    assert new_keys(tmp_path).text("admin.key", lambda: "first") == ("first", True)
    assert new_keys(tmp_path).text("admin.key", lambda: "second") == ("first", False)
    assert mode_of(tmp_path / "admin.key") == 0o600


def test_keys_do_not_show_themselves(tmp_path: Path) -> None:
    key = new_keys(tmp_path).ring("pepper").current
    assert key.secret.hex() not in repr(key)
    assert repr(key.secret) not in repr(key)


# --- signatures ------------------------------------------------------------------------------


def test_what_was_signed_before_a_rotation_is_still_proved(tmp_path: Path) -> None:
    keys = new_keys(tmp_path)
    signing = keys.signing("tokens")
    old = signing.current
    token = jwt.encode({"a": 1}, old.private, algorithm="EdDSA", headers={"kid": old.kid})
    keys.rotate("tokens")
    assert signing.current.kid != old.kid
    public = signing.public(old.kid)
    assert public is not None
    assert jwt.decode(token, public, algorithms=["EdDSA"]) == {"a": 1}
    assert signing.public("nobody") is None


def test_the_published_set_proves_signatures_and_holds_no_secret(tmp_path: Path) -> None:
    keys = new_keys(tmp_path)
    keys.signing("tokens").current  # noqa: B018 - makes the first key
    keys.rotate("tokens")
    signing = keys.signing("tokens")
    token = jwt.encode({"a": 1}, signing.current.private, algorithm="EdDSA")
    published = jwt.PyJWKSet.from_dict(signing.jwks())
    assert published.keys[0].key_id == signing.current.kid
    assert jwt.decode(token, published.keys[0], algorithms=["EdDSA"]) == {"a": 1}
    assert all("d" not in each for each in signing.jwks()["keys"])
