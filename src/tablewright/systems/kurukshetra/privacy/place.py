"""Where the keys of personal data come from: the data folder, or KMS."""

from __future__ import annotations

from tablewright.service.keys import Keys
from tablewright.service.settings import SettingsError
from tablewright.systems.kurukshetra.options import Options
from tablewright.systems.kurukshetra.privacy.kms import KmsClient, KmsPlace, kms_client
from tablewright.systems.kurukshetra.privacy.opening import KeySource

#: Below ``DATA/keys``: data keys, each wrapped by the key of KMS.
FOLDER = "kms"


def keys_of(keys: Keys, options: Options, client: KmsClient | None = None) -> KeySource:
    """The kit's own, or with ``kms_key`` those of KMS. Nothing is asked before a key is used."""
    if options.kms_key is None:
        return keys
    if keys.folder is None:
        raise SettingsError(
            "kms_key needs a data folder, for the wrapped keys: without them nothing that was "
            "sealed can be opened again. Give TABLEWRIGHT_DATA."
        )
    made = kms_client(options.kms_region) if client is None else client
    return KmsPlace(made, options.kms_key, keys.folder / FOLDER)
