"""What realism can be asked for, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablewright.engine import Engine, Fault, Realism


def test_everything_is_off_by_default(engine: Engine) -> None:
    assert engine.realism == Realism()
    assert engine.lag is None
    assert engine.throttle is None
    assert engine.faults is None


def test_switching_on_and_off_again_leaves_nothing_in_the_way(engine: Engine) -> None:
    everything = Realism(lag=1, throughput=True, partitions=True, faults=(Fault(drop=True),))
    engine.realism = everything
    assert engine.realism == everything
    assert None not in (engine.lag, engine.throttle, engine.faults)
    engine.realism = Realism()
    assert (engine.lag, engine.throttle, engine.faults) == (None, None, None)


def test_settings_can_be_given_at_the_start() -> None:
    with Engine.memory(realism=Realism(lag=3)) as engine:
        assert engine.lag is not None
        assert engine.lag.seconds == 3


def test_what_did_not_change_keeps_its_state(engine: Engine) -> None:
    engine.realism = Realism(throughput=True, faults=(Fault(drop=True, rate=0.5),))
    throttle, faults = engine.throttle, engine.faults
    engine.realism = Realism(throughput=True, faults=(Fault(drop=True, rate=0.5),), lag=1)
    assert engine.throttle is throttle
    assert engine.faults is faults


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"operations": {"PutItems"}, "drop": True}, "no such operation: PutItems"),
        ({"rate": 1.5, "drop": True}, "rate lies between 0 and 1"),
        ({"unprocessed": -0.1}, "unprocessed lies between 0 and 1"),
        ({"latency": -1}, "cannot be negative"),
        ({}, "needs an error"),
        ({"error": "InternalServerError", "drop": True}, "cannot both"),
        ({"unprocessed": 0.5, "latency": 1}, "does nothing else"),
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Fault(**wrong)  # type: ignore[arg-type]


def test_one_operation_may_be_given_by_itself() -> None:
    fault = Fault("PutItem", drop=True)
    assert fault.concerns("PutItem")
    assert not fault.concerns("GetItem")
    assert Fault(drop=True).concerns("GetItem")


def test_settings_from_a_json_file(tmp_path: Path) -> None:
    path = tmp_path / "realism.json"
    path.write_text(
        '{"lag": 0.5, "throughput": true, "burst": 10, "seed": 7, "faults": ['
        '{"operations": ["PutItem"], "rate": 0.1, "error": "InternalServerError", "after": true},'
        '{"operations": "BatchWriteItem", "unprocessed": 0.25}]}'
    )
    assert Realism.load(path) == Realism(
        lag=0.5,
        throughput=True,
        burst=10,
        seed=7,
        faults=(
            Fault({"PutItem"}, rate=0.1, error="InternalServerError", after=True),
            Fault({"BatchWriteItem"}, unprocessed=0.25),
        ),
    )
    assert Realism.parse("{}") == Realism()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ("[]", "has to be a JSON object"),
        ('{"lags": 1}', "no field 'lags'; it has lag, throughput"),
        ('{"lag": "1"}', "'lag' of realism has to be of type int or float"),
        ('{"lag": true}', "'lag' of realism"),
        ('{"throughput": 1}', "'throughput' of realism has to be of type bool"),
        ('{"lag": -1}', "cannot be negative"),
        ('{"burst": 0}', "at least one second"),
        ('{"faults": {}}', "'faults' of realism has to be of type list"),
        ('{"faults": [1]}', "a fault has to be a JSON object"),
        ('{"faults": [{"rat": 1}]}', "a fault has no field 'rat'"),
        ('{"faults": [{"operations": ["Put"], "drop": true}]}', "no such operation: Put"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Realism.parse(text)
