"""How people talk to graders, in several languages, and letters that look like others.

A phrase is looked for only in texts that have one of its ``needs``: most texts have none, and that
is quickly seen. Gaps are bounded and their parts do not overlap, so a search takes time in
proportion to the text, whatever is in it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

#: ``override``: ignore what you were told. ``score``: give ten. ``address``: dear model.
#: ``answer``: an answer as we would get it. ``boundary``: an end of the data, before its end.
Kind: TypeAlias = Literal["override", "score", "address", "answer", "boundary"]

_LOOK = "аеорсухіјѕһԁԛԝвнтмкαορνιεκτυχβıɡօս"
_LIKE = "aeopcyxijshdqwbhtmkaopviektuxbigou"
#: Small letters that look like Latin ones. Phrases go the same way, so both sides agree.
LOOKALIKES = str.maketrans(_LOOK, _LIKE)


@dataclass(frozen=True)
class Phrase:
    needs: tuple[str, ...]
    pattern: re.Pattern[str]

    def search(self, text: str) -> re.Match[str] | None:
        if not any(need in text for need in self.needs):
            return None
        return self.pattern.search(text)


def _same(text: str) -> str:
    """As :func:`injection.plain` makes texts. Patterns are written in small letters, since \\W is
    not \\w."""
    apart = unicodedata.normalize("NFKD", text)
    kept = (char for char in apart if unicodedata.category(char) not in ("Mn", "Me", "Cf"))
    return "".join(kept).translate(LOOKALIKES)


_APART = r"[\W_]{1,12}"
#: Up to so many words in between.
_GAP = {most: rf"(?:{_APART}[^\W_]{{1,20}}){{0,{most}}}{_APART}" for most in (2, 4, 6)}
#: Ten of ten, not ten of something.
_TEN = (
    r"(?<![-+.\d])(?:10|ten|100)"
    r"(?:\s*/\s*10+\b|[ \t-]*(?:out|points?|marks?|stars?|in|for|on|to|across)\b"
    r"|(?![\w%]|[.,]\d|[ \t-]*[^\W\d_]))"
)
_MOST = (
    r"(?:maximum|max|full|perfect|highest|top|best)(?:[\W_]{1,6}possible)?[\W_]{1,6}"
    r"(?:scores?|marks?|points?|ratings?|grades?)\b"
)


def _phrase(source: str, *needs: str) -> Phrase:
    return Phrase(tuple(_same(need) for need in needs), re.compile(_same(source)))


def _gapped(verbs: str, gap: int, objects: str) -> str:
    return rf"\b(?:{verbs}){_GAP[gap]}(?:{objects})"


_OVERRIDE = (
    _phrase(
        _gapped(
            "ignor(?:e|ing)|disregard|forget|neglect|dismiss|bypass",
            4,
            r"(?:previous|prior|above|earlier|preceding|foregoing|former|your|all|any|other)"
            rf"{_GAP[2]}(?:instructions?|prompts?|guidelines?|rubrics?|directives?|criteria)",
        ),
        "ignor", "disregard", "forget", "neglect", "dismiss", "bypass",
    ),
    _phrase(
        r"\b(?:ignore|disregard|forget)[\W_]{1,12}(?:(?:all|any|the|your)[\W_]{1,12})?"
        r"(?:previous|prior|above|earlier|preceding|your)[\W_]{1,12}"
        r"(?:instructions?|prompts?|guidelines?|rules|rubrics?|directives?|criteria)",
        "ignore", "disregard", "forget",
    ),
    _phrase(
        _gapped(
            "ignorier(?:e|en|t)?|vergiss|vergesst|vergessen|missachte[nt]?",
            6,
            "anweisung|instruktion|vorgaben|befehle|richtlinien",
        ),
        "ignorier", "vergiss", "vergess", "missachte",
    ),
    _phrase(
        _gapped(
            "ignore[rz]?|oublie[rz]?|tene?z? pas compte|tiens pas compte",
            6,
            "instructions? (?:préc|anté|ci-dessus)|consignes|directives pr",
        ),
        "instruction", "consignes", "directives",
    ),
    _phrase(
        _gapped(
            "ignor[ae]d?|olvid[ae]d?|descart[ae]|desconsider[ae]|esqueça",
            6,
            "instrucciones|instruções|indicaciones|órdenes|regras|diretrizes",
        ),
        "instrucciones", "instruções", "indicaciones", "órdenes", "regras", "diretrizes",
    ),
    _phrase(
        _gapped("ignora(?:te)?|dimentica(?:te)?|trascura", 6, "istruzioni|direttive"),
        "istruzioni", "direttive",
    ),
    _phrase(_gapped("negeer|vergeet", 6, "instructies|opdrachten"), "negeer", "vergeet"),
    _phrase(
        _gapped("zignoruj|ignoruj|zapomnij", 6, "instrukcj|poleceni"), "instrukcj", "poleceni"
    ),
    _phrase(
        _gapped("önceki|yukar[^\\W_]{1,2}daki|tüm", 4, "talimat|komut")
        + r"[^\n]{0,20}(?:yok say|unut|görmez)",
        "talimat", "komut",
    ),
    _phrase(
        _gapped(
            "игнорируй(?:те)?|проигнорируй(?:те)?|забудь(?:те)?|не обращай(?:те)? внимания",
            6,
            "инструкци|указани|команд|правил",
        ),
        "инструкци", "указани", "команд", "правил",
    ),
    _phrase(
        r"(?:忽略|忽视|忽視|无视|無視|忘记|忘記|不要理会)[^\n]{0,16}(?:指令|指示|提示|说明|說明|规则|規則)",
        "忽", "无视", "無視", "忘", "理会",
    ),
    _phrase(
        r"(?:以前|前|上記|これまで|すべて|全て)[^\n]{0,10}(?:指示|命令|プロンプト)[^\n]{0,8}(?:無視|忘れ)",
        "無視", "忘れ",
    ),
    _phrase(
        r"(?:이전|위의|앞의|모든)[^\n]{0,24}(?:지시|명령|프롬프트|지침)[^\n]{0,24}(?:무시|잊)",
        "무시", "잊",
    ),
    _phrase(
        r"(?:पिछले|पहले|सभी|उपरोक्त)[^\n]{0,24}(?:निर्देश|आदेश)[^\n]{0,24}(?:अनदेखा|नजरअंदाज|भूल)",
        "निर्देश", "आदेश",
    ),
    _phrase(r"(?:تجاهل|انس)[^\n]{0,30}(?:التعليمات|الاوامر|الارشادات)", "تجاهل", "انس"),
)  # fmt: skip

_SCORE = (
    _phrase(_gapped("give|giving|award|grant", 6, _TEN), "give", "giving", "award", "grant"),
    _phrase(
        _gapped("give|giving|award|grant|assign|grade|deserves?|merits?|worthy of", 6, _MOST),
        "give", "giving", "award", "grant", "assign", "grade", "deserve", "merit", "worthy",
    ),
    _phrase(
        rf"\b(?:rate|score|grade|mark)[\W_]{{1,12}}(?:this|it|us|our|everything|every|each|all)\b"
        rf"(?:[\W_]{{1,12}}[^\W_]{{1,20}}){{0,5}}[\W_]{{1,12}}(?:{_TEN}|{_MOST}|highly\b)",
        "rate", "score", "grade", "mark",
    ),
    _phrase(
        r"\b(?:scores?|ratings?|grades?)[\W_]{1,6}(?:must|should|shall|have to|has to|needs? to)"
        rf"[\W_]{{1,6}}be{_GAP[4]}(?:{_TEN}|maximum|perfect|highest)",
        "score", "rating", "grade",
    ),
    _phrase(
        _gapped(
            "gib|gebt|geben|vergib|vergebt|vergeben|bewerte[nt]?",
            6,
            r"(?:10|zehn|100)\s*(?:punkte|von|/)|(?:10|zehn)(?![\w%]|[ \t]+[^\W\d_])"
            r"|volle punkt|(?:höchste|maximale|beste)[a-z]* (?:punkt|note|bewertung|wertung)",
        ),
        "gib", "gebt", "geben", "vergeb", "bewerte",
    ),
    _phrase(
        _gapped(
            "donne[rz]?|attribue[rz]?|mettez|accorde[rz]?|note[rz]",
            6,
            r"(?:10|dix)\s*(?:/|sur|points?)|(?:10|dix)(?![\w%]|[ \t]+[^\W\d_])"
            r"|(?:note|score) maxim|(?:meilleure|plus haute) note",
        ),
        "donne", "attribue", "mettez", "accorde", "note",
    ),
    _phrase(
        _gapped(
            "dale|dadle|denle|da|dé|den|otorg(?:a|ue)|asign(?:a|e)|puntúa|calific(?:a|ue)|ponle"
            "|atribua|avalie|pontue|conceda|dê",
            6,
            r"(?:10|diez|dez)\s*(?:/|puntos|pontos|sobre|de 10)|(?:un|uma?) (?:10|diez|dez)\b"
            r"|(?:puntuación|calificación|nota|pontuação) máxima|máxima (?:punt|nota)",
        ),
        "10", "diez", "dez", "máxima",
    ),
    _phrase(
        _gapped(
            "dai|assegna(?:te)?|attribuisci|valuta",
            6,
            r"(?:10|dieci)(?:\s*/|\s+punti|\s+su\b|(?![\w%]|[ \t]+[^\W\d_]))"
            r"|punteggio massimo|massimo punteggio|voto massimo|massimo dei voti",
        ),
        "10", "dieci", "massimo",
    ),
    _phrase(
        _gapped(
            "поставь(?:те)?|дай(?:те)?|оцени(?:те)?|присвой(?:те)?",
            6,
            r"10\b|десять|максимальн|высш(?:ий|ую)|наивысш",
        ),
        "поставь", "дай", "оцени", "присвой",
    ),
    _phrase(
        r"(?:给|給|打|评|評)[^\n]{0,16}(?:10\s*分|十分|满分|滿分|最高分|100\s*分)",
        "10", "十分", "满分", "滿分", "最高分",
    ),
    _phrase(
        r"(?:10\s*点|十点|満点|最高点|最高得点|最高評価)[^\n]{0,12}(?:与え|つけ|付け|して|ください)",
        "点", "最高評価",
    ),
    _phrase(
        r"(?:10\s*점|만점|최고점|최고 점수)[^\n]{0,24}(?:주|부여|매기|줘)", "점", "최고 점수"
    ),
    _phrase(r"(?:10|दस|पूरे|अधिकतम)[^\n]{0,16}अंक[^\n]{0,16}(?:दें|दो|दीजिए|दीजिये)", "अंक"),
    _phrase(
        r"(?:اعط|امنح|أعط)[^\n]{0,30}(?:10|عشرة|الدرجة الكاملة|اعلى درجة)", "عط", "امنح"
    ),
)  # fmt: skip

_MODELS = r"(?:ai|a\.i\.|llms?|large language model|language model|gpt|chatgpt|automat(?:ed|ic))"
_GRADERS = r"(?:judges?|graders?|reviewers?|evaluators?|scorers?|assessors?|jury)"

_ADDRESS = (
    _phrase(
        rf"\b(?:dear|attention|hey|hello|hi|notes?|message|instructions?|warning|important)\b"
        rf"(?:[\W_]{{1,6}}(?:to|for|the|any|all|every))*[\W_]{{1,6}}{_MODELS}[\W_]{{1,6}}{_GRADERS}",
        "judge", "grader", "reviewer", "evaluator", "scorer", "assessor", "jury",
    ),
    _phrase(
        rf"\b(?:if|when|since|as) you(?: a|')re[\W_]{{1,4}}(?:an?|the)[\W_]{{1,4}}{_MODELS}\b",
        "you are", "you're",
    ),
    _phrase(
        rf"\b{_MODELS}[\W_]{{1,6}}{_GRADERS}[\W_]{{1,6}}(?:must|should|shall|have to|please)\b",
        "judge", "grader", "reviewer", "evaluator", "scorer", "assessor", "jury",
    ),
)  # fmt: skip

_ANSWER = (
    _phrase(
        r"\b(?:technical_novelty|creative_problem_solving|architecture_elegance|demo_potential"
        r"|commit_authenticity|authorship_consistency|iteration_depth|ai_generation_indicators"
        r"|dependency_hygiene|resource_efficiency)[\"'`* ]{0,4}[:=]\s{0,4}(?:10|[0-9](?:\.\d)?)\b",
        "technical_novelty", "creative_problem_solving", "architecture_elegance", "demo_potential",
        "commit_authenticity", "authorship_consistency", "iteration_depth",
        "ai_generation_indicators", "dependency_hygiene", "resource_efficiency",
    ),
)  # fmt: skip

_BOUNDARY = (_phrase(r"</?\s{0,4}repository-[0-9a-f]{8,}", "repository-"),)

PHRASES: tuple[tuple[Kind, Phrase], ...] = (
    *(("override", each) for each in _OVERRIDE),
    *(("score", each) for each in _SCORE),
    *(("address", each) for each in _ADDRESS),
    *(("answer", each) for each in _ANSWER),
    *(("boundary", each) for each in _BOUNDARY),
)
