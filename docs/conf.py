# Settings of the site that `make doc` makes of the pages in docs/ and of the reference (Sphinx, MyST, Furo).

project = "luatensor"
html_title = "luatensor"
extensions = ["myst_parser"]
myst_heading_anchors = 4                    # links to headings: page.md#heading
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["luatensor.css"]
html_copy_source = False
highlight_language = "none"                 # blocks name their language
suppress_warnings = ["misc.highlighting_failure"]       # C with "…" for what is left out
