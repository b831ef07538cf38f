"""Routes: tickets, the door, certificates, the handover to judging, and jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from tablewright.service.auth.auth import address_of
from tablewright.service.limits import Rate
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.kurukshetra.api.callers import (
    ParticipantId,
    caller_of,
    role_of,
    visitor_of,
)
from tablewright.systems.kurukshetra.bodies.tickets import (
    BatchIn,
    BatchOut,
    CertificateOut,
    CertificatesIn,
    CertificatesOut,
    DoorPeopleOut,
    DoorPersonOut,
    JobOut,
    ManualIn,
    OutfitOut,
    ScanIn,
    ScanOut,
    SearchIn,
    TicketOut,
    UndoIn,
    certificate_out,
    job_out,
    outfit_out,
    scan_out,
    ticket_out,
)
from tablewright.systems.kurukshetra.jobs import Job
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.tickets.door import Scanned

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_EVENT = "/events/{e}"
#: Of one address: printing takes a moment.
_PRINTS = Rate(30)
_PDF: Responses = {
    200: {
        "description": "One page.",
        "content": {"application/pdf": {"schema": {"type": "string", "format": "binary"}}},
    },
    **refusals(404, 429, {409: "`CANNOT_PRINT`: no font has the letters of the name."}),
}

_ISSUED: Responses = refusals(
    404, {409: "`CANNOT_PRINT`: no font has the letters of the event's name."}
)

Code = Annotated[str, Path(description="As it is printed.", examples=["7H2K-9QZM-4T0V-XW3B"])]
JobId = Annotated[str, Path(description="The job.", examples=["01KAGM5W00000000000000000A"])]


def begun(request: Request, response: Response, job: Job) -> JobOut:
    """A job that was asked for: 202, and where to ask how far it is."""
    root = request.scope.get("root_path", "")
    place = f"{root}/api/v1/events/{job.event_id}/jobs/{job.job_id}"
    response.headers["Location"] = place
    return job_out(job)


def router(festival: Festival) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Tickets"])
    _tickets(routes, festival)
    _door(routes, festival)
    _certificates(routes, festival)
    _jobs(routes, festival)
    return routes


def _tickets(routes: APIRouter, festival: Festival) -> None:
    caller, organizer = Depends(caller_of(festival)), Depends(role_of(festival, "organizer"))
    unpaid = refusals(404, {409: "`NOT_PAID`: the team has not paid."})

    @routes.get(f"{_EVENT}/ticket", responses=unpaid)
    async def get_ticket(by: Caller = caller) -> TicketOut:
        """Your ticket, once your team has paid."""
        return ticket_out(await festival.tickets.ticket(by))

    @routes.post(f"{_EVENT}/ticket", responses=unpaid)
    async def renew_ticket(by: Caller = caller) -> TicketOut:
        """Another ticket, if somebody else may have yours: that one is worthless then."""
        return ticket_out(await festival.tickets.renew(by))

    @routes.post(
        f"{_EVENT}/admin/tickets/{{p}}/revoke",
        status_code=204,
        responses=refusals(404),
    )
    async def revoke_ticket(p: ParticipantId, by: Caller = organizer) -> None:
        """Make somebody's tickets worthless; they get another one when they ask for it."""
        await festival.tickets.revoke(by, p)


def _door(routes: APIRouter, festival: Festival) -> None:
    volunteer = Depends(role_of(festival, "volunteer", "organizer"))
    door = festival.door

    @routes.get(f"{_EVENT}/checkin", responses=refusals(404))
    async def get_door(by: Caller = volunteer) -> OutfitOut:
        """What a door needs to go offline: its lists, and the public keys of tickets."""
        return outfit_out(await door.outfit(by))

    @routes.post(
        f"{_EVENT}/checkin/scan",
        responses=refusals(404, {409: "`NONCE_REUSED`: it was used for another ticket."}),
    )
    async def scan_ticket(body: ScanIn, by: Caller = volunteer) -> ScanOut:
        """Redeem a ticket on a list. What is wrong with one is a result, not a refusal."""
        return scan_out(await door.scan(by, body.ticket, body.list_id, body.nonce))

    @routes.post(f"{_EVENT}/checkin/batch", responses=refusals(404))
    async def scan_batch(body: BatchIn, by: Caller = volunteer) -> BatchOut:
        """What a door scanned while it was offline.

        Of several scans of one ticket on one list the earliest counts, also among doors.
        """
        scans = [Scanned(each.nonce, each.ticket, each.list_id, each.at) for each in body.scans]
        passed = await door.batch(by, scans, body.sent_at)
        return BatchOut(results=[scan_out(each) for each in passed])

    @routes.post(f"{_EVENT}/checkin/search", responses=refusals(404, 429))
    async def find_at_door(body: SearchIn, by: Caller = volunteer) -> DoorPeopleOut:
        """Find people by name, team, phone number or short code."""
        found = await door.directories.search(by, body.q, body.list_id)
        return DoorPeopleOut(people=[DoorPersonOut.model_validate(each) for each in found])

    @routes.post(
        f"{_EVENT}/checkin/manual",
        responses=refusals(404, {409: "`NONCE_REUSED`: it was used for somebody else."}),
    )
    async def check_in_by_hand(body: ManualIn, by: Caller = volunteer) -> ScanOut:
        """Check somebody in who has no ticket with them, for a reason that is kept."""
        passed = await door.check_in(by, body.participant_id, body.list_id, body.reason, body.nonce)
        return scan_out(passed)

    @routes.post(
        f"{_EVENT}/checkin/undo",
        status_code=204,
        responses=refusals(404, {409: "`NOT_REDEEMED`: it is not redeemed."}),
    )
    async def undo_scan(body: UndoIn, by: Caller = volunteer) -> None:
        """Take a check-in back: the ticket can be redeemed again."""
        await door.undo(by, body.participant_id, body.list_id)


def _certificates(routes: APIRouter, festival: Festival) -> None:
    caller, organizer = Depends(caller_of(festival)), Depends(role_of(festival, "organizer"))
    certificates, limits = festival.certificates, festival.runtime.limits
    visitor = Depends(visitor_of(festival))

    @routes.get("/certificates/{code}", responses=refusals(404, 429), dependencies=[visitor])
    async def check_certificate(code: Code) -> CertificateOut:
        """What a code stands for. For everybody who was shown a certificate."""
        return certificate_out(await certificates.check(code))

    @routes.get("/certificates/{code}/pdf", response_class=Response, responses=_PDF)
    async def print_certificate(code: Code, request: Request) -> Response:
        """The certificate to print."""
        await limits.check("certificate-prints", address_of(request), _PRINTS)
        head = {"Content-Disposition": 'inline; filename="certificate.pdf"'}
        return Response(await certificates.pdf(code), 200, head, "application/pdf")

    @routes.get(f"{_EVENT}/certificates", responses=refusals(404))
    async def list_certificates(by: Caller = caller) -> CertificatesOut:
        """Your certificates of an event."""
        mine = await certificates.mine(by)
        return CertificatesOut(items=[certificate_out(each) for each in mine])

    @routes.post(f"{_EVENT}/admin/certificates", status_code=202, responses=_ISSUED)
    async def issue_certificates(
        body: CertificatesIn,
        request: Request,
        response: Response,
        by: Caller = organizer,
    ) -> JobOut:
        """Issue certificates to who was there, each once: a job. They are told by mail.

        Names that no font has get none: `unprintable` and `unprintable_people` of its result.
        """
        job = await certificates.issue(
            by, body.kind, body.list_id, body.participants, check_only=body.check_only
        )
        return begun(request, response, job)

    @routes.delete(
        f"{_EVENT}/admin/certificates/{{code}}", status_code=204, responses=refusals(404)
    )
    async def withdraw_certificate(code: Code, by: Caller = organizer) -> None:
        """Take a certificate back: nobody knows its code any more."""
        await certificates.withdraw(by, code)


def _jobs(routes: APIRouter, festival: Festival) -> None:
    organizer = Depends(role_of(festival, "organizer"))
    staff = Depends(role_of(festival, "organizer", "finance"))
    none = {409: "`NO_HACKATHON`, `NO_JUDGING`: there is nothing to hand over to."}

    @routes.post(f"{_EVENT}/admin/handover", status_code=202, responses=refusals(404, none))
    async def hand_over(request: Request, response: Response, by: Caller = organizer) -> JobOut:
        """Hand the repositories of paid teams over to judging, each once: a job."""
        return begun(request, response, await festival.handover.start(by))

    @routes.get(f"{_EVENT}/jobs", responses=refusals(404))
    async def list_jobs(paging: Paging, by: Caller = staff) -> PageBody[JobOut]:
        """What takes longer than a request, the latest first; known for 90 days."""
        page = await festival.jobs.all(by, paging.limit, paging.cursor)
        return page_body(page, [job_out(each) for each in page])

    @routes.get(f"{_EVENT}/jobs/{{job_id}}", responses=refusals(404))
    async def get_job(job_id: JobId, by: Caller = staff) -> JobOut:
        """One job, and how far it is."""
        return job_out(await festival.jobs.read(by, job_id))
