"""`bf.review()`: rows to tick and to edit in a notebook, as an anywidget."""
