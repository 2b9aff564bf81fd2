"""Pictures of a plan's page, as README.md and docs/page.md show them: docs/images/plan-light.png and plan-dark.png.

.venv/bin/python scripts/page_picture.py         plans examples/llama.py and opens its page in Debian's Chromium
"""

from __future__ import annotations

import runpy
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
CHROMIUM = "/usr/bin/chromium"
WIDTH, HEIGHT = 1180, 962
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def main() -> None:
    plan = runpy.run_path(str(ROOT / "examples" / "llama.py"))["plan"]
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "plan.html"
        plan.report.save(file)
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        for scheme in SCHEMES:
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
            page.goto(file.as_uri())
            page.screenshot(path=IMAGES / f"plan-{scheme}.png")
        browser.close()


if __name__ == "__main__":
    main()
