"""Where a page's trace comes from: the catalogue, the same on every page.

    panel.controls(store)            # what can be chosen: a shipped model, a folder, a hub id, a file
    source = panel.current(store)    # the trace of what was chosen; raises InputError
    panel.origin(source)             # where it comes from, and what must be known about it

The page's view is a `SourceView`, which holds the model and the text.
"""
