"""What organisers set up: questions, vouchers, roles."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator

from tablewright.service.bodies import Seconds, line, shown
from tablewright.systems.kurukshetra.bodies.events import QuestionOut, question_out
from tablewright.systems.kurukshetra.fields import Money, VoucherCode
from tablewright.systems.kurukshetra.people import QuestionId, RoleName

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.events import Question
    from tablewright.systems.kurukshetra.payments import Voucher
    from tablewright.systems.kurukshetra.service.events import Holder

MOST_QUESTIONS = 40


class QuestionIn(BaseModel):
    """A question of the registration form."""

    model_config = shown(
        question_id="shirt", label="Which shirt?", kind="choice", choices=["S", "M", "L"]
    )

    question_id: QuestionId
    label: Annotated[str, *line(1, 300)]
    kind: Literal["text", "choice", "multi", "bool", "date"] = "text"
    choices: Annotated[list[Annotated[str, *line(1, 120)]], Field(max_length=50)] = Field(
        default_factory=list
    )
    required: bool = False
    pii: bool = Field(default=False, description="Answers are encrypted.")

    @model_validator(mode="after")
    def _has_choices(self) -> Self:
        chosen = self.kind in ("choice", "multi")
        if chosen != bool(self.choices) or len(set(self.choices)) < len(self.choices):
            raise ValueError("choice and multi have choices, each once; the others have none")
        return self


class QuestionsIn(BaseModel):
    """All questions, in the order in which they are asked."""

    model_config = shown(
        questions=[{"question_id": "diet", "label": "What do you not eat?", "pii": True}]
    )

    questions: Annotated[list[QuestionIn], Field(max_length=MOST_QUESTIONS)]

    @model_validator(mode="after")
    def _once(self) -> Self:
        ids = [each.question_id for each in self.questions]
        if len(set(ids)) < len(ids):
            raise ValueError("a question_id is there twice")
        return self


class VoucherIn(BaseModel):
    """A voucher: a part or an amount off the fee, so many times."""

    model_config = shown(
        code="EARLYBIRD",
        percent=10,
        remaining=50,
        valid_from="2026-11-01T00:00:00Z",
        valid_until="2026-11-30T18:29:59Z",
    )

    code: VoucherCode
    percent: Annotated[int, Field(ge=1, le=100)] | None = None
    fixed: Annotated[Money, Field(ge=1)] | None = Field(default=None, description="In minor units.")
    remaining: Annotated[int, Field(ge=0, le=100_000)] = Field(
        description="How often it can still be used."
    )
    valid_from: Seconds
    valid_until: Seconds

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.percent is None) == (self.fixed is None):
            raise ValueError("a voucher is either percent or fixed")
        if self.valid_from > self.valid_until:
            raise ValueError("valid_until comes before valid_from")
        return self


class RolesIn(BaseModel):
    """What somebody may do at the event; no roles take all away."""

    model_config = shown(who="asha@example.org", roles=["volunteer"])

    who: Annotated[str, *line(1, 254)] = Field(
        description="An e-mail address, which counts once it is verified, or a user id."
    )
    roles: Annotated[list[RoleName], Field(max_length=10)]


# --- answers -------------------------------------------------------------------------------------


class QuestionsOut(BaseModel):
    """All questions, in their order. Their ETag is that of the settings."""

    questions: list[QuestionOut]


class VoucherOut(BaseModel):
    """A voucher. Its ETag is what a change is made with."""

    code: str
    percent: int | None
    fixed: int | None
    remaining: int
    valid_from: datetime
    valid_until: datetime
    version: int
    created_at: datetime
    updated_at: datetime


class HolderOut(BaseModel):
    """Somebody with roles at the event."""

    holder_id: str = Field(description="A keyed hash of who it is.")
    who: str
    roles: list[RoleName]
    created_at: datetime
    updated_at: datetime


def questions_out(questions: Sequence[Question]) -> QuestionsOut:
    return QuestionsOut(questions=[question_out(each) for each in questions])


def voucher_out(voucher: Voucher) -> VoucherOut:
    return VoucherOut.model_validate(voucher.model_dump(include=set(VoucherOut.model_fields)))


def holder_out(holder: Holder) -> HolderOut:
    return HolderOut(
        holder_id=holder.uid_hash,
        who=holder.who,
        roles=sorted(holder.roles),
        created_at=holder.created_at,
        updated_at=holder.updated_at,
    )
