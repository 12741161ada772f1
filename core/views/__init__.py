"""What messages show: views become documents, the same for every platform and for the terminal.

In: data of :mod:`core.model.views`. Out: a :mod:`.document`, which platforms only draw.

1. :mod:`.markdown` parses the text of an answer; :mod:`.commonmark` writes a document as Markdown,
   in which :mod:`.inert` breaks up what clients would link.
2. :mod:`.messages` makes the document of an answer, and chooses the function for each other kind of message:
   :mod:`.explanation`, :mod:`.sources`, :mod:`.notices`, :mod:`.help`, :mod:`.sync`.
3. :mod:`.fitting` fits a document into a platform's limits.
"""
