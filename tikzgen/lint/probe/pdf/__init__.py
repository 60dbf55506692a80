"""Objects on the pages of a PDF, in the order of painting, as read by pdfium."""
