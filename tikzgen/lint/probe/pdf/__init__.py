"""What stands on a PDF's pages, in the order of painting, as pdfium tells it."""
