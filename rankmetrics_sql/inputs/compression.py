"""Compressed files and streams: what they are known by, and how they are read."""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path
from typing import IO, Any

from ..errors import DataError

COMPRESSIONS = (".gz", ".zst")
_MAGIC = {b"\x1f\x8b": ".gz", b"\x28\xb5": ".zst"}


def check_compression(path: Path) -> None:
    """Read a compressed file to its end, because DuckDB does not verify checksums."""
    if path.suffix.lower() not in COMPRESSIONS:
        with path.open("rb") as stream:
            ending = _MAGIC.get(stream.read(2))
        if ending:
            raise DataError(f"{path}: the file is compressed, so its name must end in {ending}. Rename it.")
        return
    try:
        with _open_bytes(path) as stream:
            while stream.read(1 << 20):
                pass
    except Exception as error:  # noqa: BLE001 - the decompressors have no error class in common
        raise DataError(f"{path}: the compressed file is truncated or corrupt ({error}).") from None


def _open_bytes(path: Path) -> IO[bytes]:
    suffix = path.suffix.lower()
    opened: Any
    if suffix == ".gz":
        import gzip

        opened = gzip.open(path, "rb")  # noqa: SIM115 - the caller closes it
    elif suffix == ".zst":
        opened = _zstd().open(path, "rb")
    else:
        opened = path.open("rb")
    return opened  # type: ignore[no-any-return]


def open_text(path: Path) -> IO[str]:
    """A file, decompressed, as lines of text."""
    return io.TextIOWrapper(_open_bytes(path), encoding="utf-8-sig", errors="replace")


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def spool(stream: IO[bytes], folder: Path) -> Path:
    """Copy a stream that can be read only once, such as standard input, to a file named by its compression."""
    path = folder / "stream"
    with path.open("wb") as file:
        shutil.copyfileobj(stream, file)
    with path.open("rb") as file:
        start = file.read(2)
    if not start:
        raise DataError(f"{path}: is empty.")
    suffix = _MAGIC.get(start)
    return path.rename(path.with_suffix(suffix)) if suffix else path
