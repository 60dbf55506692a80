"""A mark of a third party: a moment by which all lanes have to be done."""

from typing import Literal

from tikzgen.layout.time.timed_items import LabelItem, PathItem
from tikzgen.layout.timeline.labels_outside_cells import fit_text
from tikzgen.layout.timeline.marks.mark_layout import MarkLayout
from tikzgen.layout.timeline.marks.pack_shelves import Want
from tikzgen.model.exact_fields import Time
from tikzgen.model.part import Part
from tikzgen.model.sentences import Sentence, number
from tikzgen.model.timeline.mark_table import MarkType
from tikzgen.text import Text
from tikzgen.text.spoken_labels import label_to_unicode


class Deadline(Part):
    type: Literal["deadline"] = "deadline"
    time: Time
    label: Text


class DeadlineType(MarkType):
    model, noun = Deadline, "a deadline"
    texts = (("label", "deadline", "label of deadline"),)
    layout_address = "deadline_mark:DeadlineLayout"

    def sentences(self, marks, timeline):
        for one in marks:
            yield Sentence(1, f"Deadline {label_to_unicode(one.label)} at {number(one.time)}")


class DeadlineLayout(MarkLayout):
    def wants(self, facts, side, key, mark):
        if side == "before":
            text = fit_text(facts.plan, mark.label, 2.5)
            yield Want(key, text.width, text.height, (facts.measure_time(mark.time),), text=text)

    def items(self, facts, index, mark, put):
        time, at, text = facts.clock.spell_moment(mark.time), facts.place_time(mark.time), put.text
        top = facts.make_point(time, facts.find_edge_row("before"), off=-put.near)
        yield PathItem(("barrier",), (top, facts.make_point(time, facts.find_edge_row("after"))))
        place = facts.make_point(
            time, facts.find_edge_row("before"), off=-(put.near + text.lift), along=put.middle - put.stem
        )
        anchor = facts.choose_facing_anchor("before")
        yield LabelItem((facts.find_field_macro("marks", index, "label"),), place, anchor, size=text.size, along=True)
        row, half = facts.place_row(facts.find_edge_row("before")), text.width / 2
        yield facts.make_extent(at - half, at + half, row - put.far, facts.place_row(facts.find_edge_row("after")))
