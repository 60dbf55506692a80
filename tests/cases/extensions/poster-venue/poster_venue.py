"""A venue of a third party: a poster with two columns of 25 cm."""

from tikzgen.model.looks.venues import Venue

POSTER = Venue(25 * 28.45, 52 * 28.45, "our poster class")
