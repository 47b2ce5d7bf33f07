"""What a wheel holds beside code: check_contents.py WHEEL. Exit 1 and a sentence where something is missing or untrue."""
import base64
import csv
import hashlib
import json
import sys
import zipfile

from components import DEBIAN


def faults(wheel: str) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    (info,) = {name.split("/")[0] for name in content if ".dist-info/" in name}
    found = []
    listed = {row[0]: row[1] for row in csv.reader(content[f"{info}/RECORD"].decode().splitlines())}
    if set(listed) != set(content):
        found.append(f"RECORD and wheel differ by {sorted(set(listed) ^ set(content))}")
    for name, digest in listed.items():
        if digest and name in content and digest != "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content[name]).digest()).rstrip(b"=").decode():
            found.append(f"RECORD: another checksum of {name}")
    bills = [name for name in content if name.startswith(f"{info}/sboms/")]
    if len(bills) != 1:
        return found + [f"{len(bills)} bills of materials; expected one"]
    bill = json.loads(content[bills[0]])
    found += faults_of_bill(bill)
    own = [entry for entry in bill["components"] if entry.get("scope") != "required"]
    files = [name for name in content if f"{info}/licenses/third-party/" in name]
    licences = {part for name in files for part in name.rsplit("/", 1)[1].removesuffix(".txt").split(" and ")}
    if licences != {entry["name"] for entry in own}:
        found.append(f"licences {sorted(licences)}; expected those of the bill")
    found += [f"{name}: {len(content[name])} bytes; expected a licence" for name in files if len(content[name]) < 200]
    modules = [name for name in content if name.endswith(".so")]
    if len(modules) != 1 or bill["metadata"]["component"]["hashes"][0]["content"] != hashlib.sha256(content[modules[0]]).hexdigest():
        found.append(f"the bill is of another module than {modules}")
    # The interpreter of a processor imports what is named for it alone: sparsedyn/_core.cpython-311-aarch64-linux-gnu.so.
    system = wheel.removesuffix(".whl").split("linux_")[-1].split("_", 2)[2]
    if any(f"-{system}-linux-" not in name for name in modules):
        found.append(f"{modules} in a wheel for {system}; expected a module named for {system}")
    if f"{info}/licenses/LICENSE" not in content:
        found.append("no licence of the project itself")
    missing = {c.name for c in DEBIAN} - {entry["name"] for entry in own}
    if missing:
        found.append(f"the bill lacks {sorted(missing)}")
    return found


def faults_of_bill(bill: dict) -> list[str]:
    """Against CycloneDX 1.5: what it requires, and that references lead somewhere."""
    found = []
    if (bill.get("bomFormat"), bill.get("specVersion")) != ("CycloneDX", "1.5"):
        found.append("no CycloneDX 1.5")
    if not str(bill.get("serialNumber", "")).startswith("urn:uuid:"):
        found.append("serialNumber: expected urn:uuid:…")
    names = [bill["metadata"]["component"]["bom-ref"]] + [entry["bom-ref"] for entry in bill["components"]]
    if len(set(names)) != len(names):
        found.append("two components of one bom-ref")
    for entry in bill["components"]:
        for key in ("type", "name", "purl", "licenses"):
            if not entry.get(key):
                found.append(f"{entry.get('name')}: no {key}")
        for reference in entry.get("externalReferences", []):
            if any(len(h["content"]) != 64 for h in reference["hashes"]):
                found.append(f"{entry['name']}: a hash that is no SHA-256")
    for dependency in bill["dependencies"]:
        for name in [dependency["ref"], *dependency["dependsOn"]]:
            if name not in names:
                found.append(f"dependencies: {name} is no component")
    return found


if __name__ == "__main__":
    wrong = faults(sys.argv[1])
    print("\n".join(f"wheels: {sys.argv[1]}: {fault}" for fault in wrong) or "licences and list of parts: complete")
    sys.exit(bool(wrong))
