"""Which language a file is in, by its name."""

from __future__ import annotations

from typing import Final

from tablewright.systems.vibejudge.rules.words import words

_BY_ENDING: Final[dict[str, str]] = {
    ending: language
    for language, endings in {
        "Python": "py pyw pyi",
        "JavaScript": "js jsx mjs cjs",
        "TypeScript": "ts tsx mts cts",
        "Vue": "vue",
        "Svelte": "svelte",
        "Java": "java",
        "Kotlin": "kt kts",
        "Scala": "scala sc",
        "Groovy": "groovy gradle",
        "Go": "go",
        "Rust": "rs",
        "C": "c h",
        "C++": "cc cpp cxx hpp hh hxx ino",
        "Objective-C": "m mm",
        "C#": "cs",
        "Ruby": "rb rake gemspec",
        "PHP": "php phtml",
        "Swift": "swift",
        "Dart": "dart",
        "Elixir": "ex exs",
        "Haskell": "hs",
        "Lua": "lua",
        "Perl": "pl pm",
        "R": "r",
        "Julia": "jl",
        "Solidity": "sol",
        "Shell": "sh bash zsh",
        "PowerShell": "ps1",
        "SQL": "sql",
        "Notebook": "ipynb",
        "HTML": "html htm",
        "CSS": "css",
        "SCSS": "scss sass less",
        "Markdown": "md markdown mdx",
        "reStructuredText": "rst",
        "Text": "txt adoc",
        "JSON": "json jsonc json5 webmanifest",
        "YAML": "yml yaml",
        "TOML": "toml",
        "XML": "xml svg plist csproj",
        "CSV": "csv tsv",
        "Terraform": "tf",
        "Prisma": "prisma",
        "GraphQL": "graphql gql",
        "Protobuf": "proto",
        "Template": "erb haml jinja j2 ejs hbs mustache",
    }.items()
    for ending in endings.split()
}
_BY_NAME: Final[dict[str, str]] = {
    "dockerfile": "Dockerfile",
    "containerfile": "Dockerfile",
    "makefile": "Makefile",
    "rakefile": "Ruby",
    "gemfile": "Ruby",
    "podfile": "Ruby",
    "procfile": "Text",
    "readme": "Text",
    "license": "Text",
    "licence": "Text",
    "jenkinsfile": "Groovy",
}
#: What programs are written in; the rest describes, styles or holds data.
PROGRAMMING: Final = words(
    "Python JavaScript TypeScript Vue Svelte Java Kotlin Scala Groovy Go Rust C C++ Objective-C "
    "C# Ruby PHP Swift Dart Elixir Haskell Lua Perl R Julia Solidity Shell PowerShell SQL "
    "Notebook"
)
#: What a share of languages is told for.
TOLD: Final = PROGRAMMING | {"HTML", "CSS", "SCSS", "Terraform"}
#: Not read at all: nobody reads them as text.
BINARY_ENDINGS: Final = words(
    "png jpg jpeg gif webp bmp ico tif tiff psd ai sketch fig mp3 wav ogg flac m4a mp4 mov avi "
    "mkv webm zip gz tgz bz2 xz 7z rar jar war class pyc pyo so dylib dll exe bin o a lib obj pdb "
    "ttf otf woff woff2 eot pdf doc docx xls xlsx ppt pptx db sqlite sqlite3 mdb pkl pickle npy "
    "npz h5 hdf5 pt pth onnx tflite pb ckpt safetensors joblib model parquet feather glb gltf fbx "
    "blend stl apk ipa aab dmg iso deb rpm wasm keystore jks p12"
)


def ending_of(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name.strip(".") else ""


def language_of(path: str) -> str | None:
    name = path.rpartition("/")[2].lower()
    known = _BY_NAME.get(name) or _BY_ENDING.get(ending_of(path))
    if known is None and name.startswith(("dockerfile.", "containerfile.")):
        return "Dockerfile"
    return known


def is_binary_name(path: str) -> bool:
    return ending_of(path) in BINARY_ENDINGS
