"""The page without data, as web/build.mjs bundles it: the same bytes each time, from packages that anyone can get."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "web"


def test_the_same_sources_give_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(BUILT / "node_modules")
    for name in ("package.json", "packages.sha256"):
        shutil.copy(BUILT / name, tmp_path)
    subprocess.run(["node", ROOT / "web" / "build.mjs", tmp_path], check=True)
    assert (tmp_path / "page.html").read_bytes() == (BUILT / "page.html").read_bytes()


def test_packages_are_pinned_by_content_and_not_by_address() -> None:
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert len(packages) > 30
    assert all("resolved" not in entry and entry["integrity"].startswith("sha512-") for entry in packages.values())


def test_the_license_of_every_package_is_in_the_page() -> None:
    text = (BUILT / "page.html").read_text()
    licenses = text.partition('id="licenses"')[2].partition("</pre>")[0]
    named = set(re.findall(r"([@\w./-]+) \d[\w.]* \((?:ISC|MIT|BSD-3-Clause|Unlicense)\)", licenses))
    assert {"@observablehq/plot", "d3-scale", "d3-shape", "internmap", "isoformat"} <= named
    assert "esbuild" not in named  # it is a tool, of which nothing is in the page
