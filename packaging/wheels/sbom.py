"""The software bill of materials of a wheel, CycloneDX 1.5 as JSON."""
import hashlib
import json
import uuid

from components import POOL, Component


def of_component(component: Component) -> dict:
    name, _, exception = component.licence.partition(" WITH ")
    entry: dict = {
        "type": "library",
        "bom-ref": component.name,
        "name": component.name,
        "version": component.version,
        "licenses": [{"expression": component.licence} if exception else {"license": {"id": name}}],
        "purl": component.purl,
    }
    if component.files:
        entry["externalReferences"] = [
            {"type": "distribution", "url": f"{POOL}/{component.folder}/{file}", "hashes": [{"alg": "SHA-256", "content": sha}]}
            for file, sha in component.files.items()
        ]
    return entry


def text(name: str, version: str, compiler: str, module: bytes, components: list[Component], date: str) -> str:
    """Of `module`, the machine code of package `name`: what is compiled and linked into it, by which compiler, and what it asks
    for when it runs. Equal modules have equal texts: the serial number is made from the code."""
    sha = hashlib.sha256(module).hexdigest()
    needed = [{"type": "library", "bom-ref": "numpy", "name": "numpy", "scope": "required", "licenses": [{"license": {"id": "BSD-3-Clause"}}],
               "purl": "pkg:pypi/numpy", "description": "not contained; asked for at run time"}]
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, 'sparsedyn:' + sha)}",
        "version": 1,
        "metadata": {
            "timestamp": date,
            "tools": {"components": [{"type": "application", "name": "zig c++", "version": compiler}]},
            "component": {"type": "library", "bom-ref": name, "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}",
                          "licenses": [{"license": {"id": "BSD-3-Clause"}}], "hashes": [{"alg": "SHA-256", "content": sha}]},
        },
        "components": [of_component(c) for c in components] + needed,
        "dependencies": [{"ref": name, "dependsOn": sorted([c.name for c in components] + ["numpy"])}],
    }
    return json.dumps(bill, indent=1) + "\n"
