"""A wheel as it is published: licences and bill of materials inside, named for manylinux, its bytes the same at each build."""
import base64
import hashlib
import time
import zipfile
from pathlib import Path

from components import Component


def licence_text(file: Path) -> str:
    """Of a header its first comment, else all."""
    text = file.read_text(encoding="utf-8", errors="replace")
    return text.split("*/")[0].lstrip("/* \n") if file.suffix == ".h" else text


def sources_of_licences(components: list[Component], unpacked: Path, site: Path) -> dict[str, str]:
    """NAME.txt: the licence of each component, from its own files. `A and B.txt`: components with one text."""
    names: dict[str, list[str]] = {}
    for component in components:
        names.setdefault(licence_text((unpacked / component.name if component.files else site) / component.licence_file), []).append(component.name)
    return {" and ".join(of) + ".txt": text for text, of in names.items()}


def line_of_record(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def finish(plain: Path, to: Path, platform: str, licences: dict[str, str], bill: str, when: int) -> Path:
    """Writes `plain`'s content, and the licences and the bill, as a wheel for `platform` into the folder `to`."""
    with zipfile.ZipFile(plain) as archive:
        content = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
        modes = {entry.filename: entry.external_attr >> 16 & 0o111 for entry in archive.infolist()}
    (info,) = {name.split("/")[0] for name in content if name.split("/")[0].endswith(".dist-info")}
    name, version, python, abi, _ = plain.stem.split("-")
    content.pop(f"{info}/RECORD")
    content.update({f"{info}/licenses/third-party/{file}": text.encode() for file, text in licences.items()})
    content[f"{info}/sboms/{name}.cdx.json"] = bill.encode()
    wheel = content[f"{info}/WHEEL"].decode().splitlines()
    content[f"{info}/WHEEL"] = "".join(f"Tag: {python}-{abi}-{platform}\n" if line.startswith("Tag:") else line + "\n" for line in wheel).encode()
    record = f"{info}/RECORD"
    content[record] = ("".join(line_of_record(n, content[n]) for n in sorted(content)) + f"{record},,\n").encode()
    to.mkdir(parents=True, exist_ok=True)
    file = to / f"{name}-{version}-{python}-{abi}-{platform}.whl"
    # pip wants the metadata last; zip has no time before 1980.
    order = sorted(content, key=lambda n: (n.startswith(info), n == record, n))
    part = file.with_name(file.name + ".part")  # what is cut off has no wheel's name
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for entry in order:
            place = zipfile.ZipInfo(entry, max(time.gmtime(when)[:6], (1980, 1, 1, 0, 0, 0)))
            place.external_attr = (0o100755 if modes.get(entry) else 0o100644) << 16
            place.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(place, content[entry])
    part.replace(file)
    return file
