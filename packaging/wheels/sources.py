"""Debian's sources: fetched, held to their checksums, unpacked, and patched as Debian does."""
import hashlib
import shutil
import subprocess
import tarfile
import urllib.request
from pathlib import Path

from components import POOL, Component


def fetch(component: Component, name: str, to: Path) -> Path:
    """The file `name` in the folder `to`; it is fetched where it is not there. SystemExit where its checksum is another."""
    file = to / name
    if not file.exists():
        address = f"{POOL}/{component.folder}/{name}"
        part = file.with_name(name + ".part")
        try:
            with urllib.request.urlopen(address, timeout=60) as answer, part.open("wb") as out:
                shutil.copyfileobj(answer, out)
        except OSError as error:
            raise SystemExit(f"wheels: {address}: {error}; expected Debian 12's source; or put it at {file}")
        part.rename(file)
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != component.files[name]:
        raise SystemExit(f"wheels: {file}: SHA-256 {found}; expected {component.files[name]}")
    return file


def extract(file: Path, to: Path) -> None:
    """All of an archive. Debian 12's Python 3.11.2 has no filters; the checksum says already what the archive holds."""
    with tarfile.open(file) as archive:
        archive.extractall(to, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))


def unpack(component: Component, archives: Path, to: Path) -> Path:
    """The patched sources in `to`/NAME."""
    sources, changes = (fetch(component, name, archives) for name in component.files)
    folder = to / component.name
    done, wanted = folder / ".unpacked", "\n".join(component.files.values())
    if done.exists() and done.read_text() == wanted:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    inside = to / (component.name + ".unpacked")
    shutil.rmtree(inside, ignore_errors=True)
    extract(sources, inside)
    (top,) = inside.iterdir()
    top.rename(folder)
    inside.rmdir()
    extract(changes, folder)
    series = folder / "debian/patches/series"
    for line in series.read_text().splitlines() if series.exists() else []:
        name = line.split("#")[0].strip()
        if name:
            with (series.parent / name).open() as patch:
                subprocess.run(["patch", "-p1", "--quiet", "--no-backup-if-mismatch"], cwd=folder, stdin=patch, check=True)
    done.write_text(wanted)
    return folder
