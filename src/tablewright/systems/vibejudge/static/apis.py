"""Whether a product answers over HTTP, and how well."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tablewright.systems.vibejudge.static.codebase import Codebase
from tablewright.systems.vibejudge.static.results import Finding

_ROUTES = re.compile(
    r"(?m)^[ \t]*@[\w.]{1,60}\.(?:route|get|post|put|delete|patch|api_route)\(\s*['\"]"
    r"|\b(?:app|router|server|api|routes?)\.(?:get|post|put|delete|patch)\(\s*['\"`]/"
    r"|@(?:Get|Post|Put|Delete|Patch|Request)Mapping\b|@(?:Get|Post|Put|Delete|Patch)\(\s*(?:['\"]"
    r"|\))"
    r"|\[Http(?:Get|Post|Put|Delete|Patch)\b|\.HandleFunc\(\s*\"/"
    r"|\b\w{1,20}\.(?:GET|POST|PUT|DELETE|PATCH)\(\s*\"/|\bRoute::(?:get|post|put|delete"
    r"|resource)\("
    r"|\burlpatterns\s*=|\bMap(?:Get|Post|Put|Delete)\(\s*\""
    r"|\.route\(\s*\"/[^\"\n]{0,100}\",\s*(?:get|post)"
    r"|#\[(?:get|post|put|delete)\(\s*\"/|\bexport\s+(?:async\s+)?(?:function|const)\s+(?:GET|POST"
    r"|PUT|DELETE)\b"
    r"|(?m:^[ \t]*(?:get|post|put|delete)\s+['\"]/[^'\"\n]{0,100}['\"]\s+(?:do|to:|=>))"
    r"|\bresources\s+:\w"
)
_VALIDATION = re.compile(
    r"\b(?:pydantic|marshmallow|cerberus|voluptuous|zod|yup|joi|ajv|express-validator"
    r"|class-validator"
    r"|celebrate|superstruct|valibot)\b|@Valid\b|@Validated\b|serializers\.\w*Serializer"
    r"|@Is(?:String|Int"
    r"|Email|NotEmpty)\b|ModelState\.IsValid|FluentValidation|ShouldBind\w*\(|validator\.New\("
    r"|`\w*:\"[^\"`\n]{0,60}\"\s+"
    r"(?:binding|validate):\"|->validate\(|Validator::make|\bvalidates\s+:|\bparams\.(?:require"
    r"|expect)\("
    r"|#\[validate|wtforms|forms\.(?:ModelForm|Form)\b|\bBaseModel\b|filter_var\(|reqparse|webargs"
    r"|\[Required\]|safeParse\(|checkSchema\(|\bFormRequest\b"
)
_ERRORS = re.compile(
    r"\.(?:status|sendStatus|writeHead|code)\(\s*4\d\d\b|\bstatus\s*[:=]\s*4\d\d\b"
    r"|\bstatus_code\s*=\s*4\d\d"
    r"|HTTPException\(|\babort\(\s*4\d\d|,\s*4\d\d\s*\)?\s*$|Http404|HttpStatus\.(?:BAD|NOT|UNAUTH"
    r"|FORBID|CONFLICT)"
    r"|http\.Status(?:Bad|Not|Unauth|Forbid|Conflict|Unprocess)|ResponseEntity\.(?:badRequest"
    r"|notFound|status)"
    r"|\b(?:BadRequest|NotFound|Unauthorized|Forbidden|Conflict)(?:Exception)?\("
    r"|StatusCode::(?:BAD|NOT|UNAUTH)"
    r"|http_response_code\(\s*4\d\d|HTTP_4\d\d|:unprocessable_entity|:not_found|:bad_request"
    r"|response\(\)->json\([^;\n]{0,200}4\d\d",
    re.MULTILINE,
)
_VERSIONS = re.compile(
    r"['\"`/](?:api/)?v[1-9]\d?(?:/|['\"`])|\bapi[_-]?version\b|@ApiVersion|API_VERSION"
    r"|accept-version",
    re.IGNORECASE,
)
_DOCS = re.compile(
    r"\bswagger\b|\bopenapi\b|\bFastAPI\(|drf_spectacular|drf_yasg|springdoc|springfox|Swashbuckle"
    r"|flask_restx|flasgger|apispec|utoipa|AddSwaggerGen|@ApiOperation|@Operation\(|swag init"
    r"|scalar",
    re.IGNORECASE,
)
_DOC_FILES = re.compile(
    r"(?i)(?:^|/)(?:openapi|swagger|api)(?:\.v\d)?\.(?:ya?ml|json|md|rst)$"
    r"|postman_collection\.json$"
)
_DOC_README = re.compile(
    r"(?i)`?(?:GET|POST|PUT|DELETE|PATCH)`?\s+`?/\w|^#{1,4}\s.{0,40}(?:endpoints|api reference)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class ApiUse:
    used: bool
    validation: bool = False
    errors: bool = False
    versions: bool = False
    docs: bool = False
    where: Finding | None = None


def api_of(base: Codebase) -> ApiUse:
    routed = [
        (code, found)
        for code in base.product
        if (found := _ROUTES.search(code.code[: code.product_end]))
        and not _in_string(code.bare, found)
    ]
    if not routed:
        return ApiUse(used=False)
    texts = [each.code[: each.product_end] for each in base.product]
    paths = [text for code, _ in routed for text in (code.code,)]
    readme = base.readme.text if base.readme else ""
    code, first = routed[0]
    return ApiUse(
        used=True,
        validation=any(_VALIDATION.search(text) for text in texts),
        errors=any(_ERRORS.search(text) for text in texts),
        versions=any(_VERSIONS.search(text) for text in paths),
        docs=any(_DOCS.search(text) for text in texts)
        or any(_DOC_FILES.search(each.path) for each in base.own_files)
        or bool(_DOC_README.search((readme or "")[:20_000])),
        where=code.finding("api", code.line_at(first.end() - 1), "info", ""),
    )


def _in_string(bare: str, found: re.Match[str]) -> bool:
    """Whether it only stands in a text: half of what was found is blank there."""
    seen = bare[found.start() : found.end()].split()
    return len("".join(seen)) * 2 < len("".join(found[0].split()))
