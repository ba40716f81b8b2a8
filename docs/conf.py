# Settings of Sphinx, which builds the documentation site (`make doc`) from the pages in docs/ and from the reference.
# MyST parses the pages; Furo is the theme.

project = "luatensor"
html_title = "luatensor"
extensions = ["myst_parser"]
myst_heading_anchors = 4                    # links to headings: page.md#heading
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["luatensor.css"]
html_copy_source = False
highlight_language = "none"                 # the default; each code block names its own language
suppress_warnings = ["misc.highlighting_failure"]       # C code in which "…" stands for omitted lines does not parse
