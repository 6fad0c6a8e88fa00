"""The site: guides, tutorials, the reference of Python and of the C headers.

Built by `sh tools/python site`, which puts the guides, the notebooks and the
headers beside this file before Sphinx reads them."""

import sked

project = "libsked"
author = "The libsked authors"
version = release = sked.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.viewcode", "myst_nb"]
nb_execution_mode = "off"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": False,
                           "show-inheritance": True}
html_theme = "furo"
html_title = "libsked"
html_show_copyright = False
# Guides name files of the sources, which are no pages here.
suppress_warnings = ["myst.xref_missing", "myst.header", "toc.not_included",
                     "misc.highlighting_failure", "docutils"]
