"""The language of a text, and whether a model covers it.

Headlines are short, and a wrong guess costs more than none: an English article that is taken for
Dutch drops out of all figures. So a language is only named if it is clearly ahead of English, which
the bundled models cover. A text without a clear language has none, and every model judges it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from functools import cache
from typing import Final, Protocol, cast

#: ISO 639-1 codes of languages with many news sites; a longer list makes short texts less certain.
NAMES: Final[dict[str, str]] = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "bn": "Bengali",
    "ca": "Catalan",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "ms": "Malay",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sr": "Serbian",
    "sv": "Swedish",
    "ta": "Tamil",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
ENGLISH: Final = "en"
#: English is named from this probability on.
_LEAST_ENGLISH = 0.5
#: Another language is named from this probability on, if English has less than the second one.
_LEAST_OTHER, _MOST_ENGLISH = 0.4, 0.05
#: Fewer letters than this have no language.
_LEAST_LETTERS = 3


class _Identifier(Protocol):
    def set_languages(self, langs: Collection[str]) -> None: ...
    def rank(self, text: str) -> list[tuple[str, float]]: ...


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code of the language of a text, or None if it is not clear."""
    if sum(map(str.isalpha, text)) < _LEAST_LETTERS:
        return None
    # Capitals carry no information about the language, and confuse the model.
    ranked = identifier().rank(text.lower() if text.isupper() else text)
    language, probability = ranked[0]
    if language == ENGLISH:
        return ENGLISH if probability >= _LEAST_ENGLISH else None
    english = next((each for code, each in ranked if code == ENGLISH), 0.0)
    clear = probability >= _LEAST_OTHER and english <= _MOST_ENGLISH
    return language if clear else None


def is_covered(language: str | None, languages: Collection[str] | None) -> bool:
    """Return whether a model for these languages (None: all) can judge a text in a language."""
    return language is None or languages is None or language in languages


def language_name(code: str | None) -> str:
    """Return the English name of a language, or an empty text if it is not known."""
    return NAMES.get(code or "", code or "")


@cache
def identifier() -> _Identifier:
    """Load the language model, which takes about half a second; later calls are free."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    found = cast("_Identifier", LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True))
    found.set_languages(list(NAMES))
    return found


async def ensure_loaded() -> None:
    """Load the language model beside the event loop, the first time.

    A process that serves requests does so before the first one.
    """
    if not identifier.cache_info().currsize:
        await asyncio.to_thread(identifier)
