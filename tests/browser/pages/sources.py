"""Choosing where a trace comes from, as a person does."""


def choose(page, source):
    """Choose a source by its name."""
    page.get_by_role("combobox", name="Source").click()
    page.get_by_role("option", name=source).click()


def open_file(page, path):
    """Open a file from the catalogue of sources."""
    choose(page, "Recorded trace or arrays from a file")
    page.locator('[data-testid="stMain"] input[type="file"]').set_input_files(path)
