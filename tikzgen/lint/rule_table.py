"""Rules of `tikzgen check`: the table `RULES`, by code."""

from __future__ import annotations

import re

from tikzgen.base.extensions import Table
from tikzgen.lint.registry import Rule

WRITTEN = "tikzgen.lint.rules"
"""Package of the rules for specs, .tex files and metadata, which need neither TeX nor a drawing."""
GEOMETRY = "tikzgen.lint.probe.rules"
"""Package of the rules for pages that TeX set or that were drawn."""
_CODE = re.compile(r"(?!TG\d)[A-Z]{2,8}\d{3}")


def _problem_of(name: str, rule: Rule) -> str:
    if not isinstance(rule, Rule):
        return "is not a Rule (decorate the function with tikzgen.lint.registry.rule)"
    if not _CODE.fullmatch(name):
        return "is not a code: two to eight capitals, not TG, and three digits"
    return "" if rule.code == name else f"has the code {rule.code}"


RULES: Table[Rule] = Table(
    "rules",
    {
        "TG101": "tikzgen.lint.rules.schedules:_data_dependency",
        "TG102": "tikzgen.lint.rules.schedules:_schedule_rule",
        "TG103": "tikzgen.lint.rules.schedules:_messages",
        "TG104": "tikzgen.lint.rules.schedules:_parameters",
        "TG105": "tikzgen.lint.rules.timelines:_drawn_schedule",
        "TG111": "tikzgen.lint.rules.timelines:_backward_arrow",
        "TG112": "tikzgen.lint.rules.timelines:_fault",
        "TG113": "tikzgen.lint.rules.timelines:_drawn_spans",
        "TG114": "tikzgen.lint.rules.timelines:_backward_message",
        "TG115": "tikzgen.lint.rules.timelines:_gathered_twice",
        "TG116": "tikzgen.lint.rules.schedules:_measured_dependency",
        "TG117": "tikzgen.lint.rules.schedules:_measured_order",
        "TG118": "tikzgen.lint.rules.schedules:_unclassified_kernels",
        "TG119": "tikzgen.lint.rules.timeline_marks:_busy_bubble",
        "TG120": "tikzgen.lint.rules.timeline_marks:_crossed_barrier",
        "TG121": "tikzgen.lint.rules.timeline_marks:_wrong_tick",
        "TG122": "tikzgen.lint.rules.timeline_marks:_wrong_length",
        "TG123": "tikzgen.lint.rules.space_time:_early_reply",
        "TG124": "tikzgen.lint.rules.space_time:_failed_leader",
        "TG125": "tikzgen.lint.rules.space_time:_impossible",
        "TG126": "tikzgen.lint.rules.flow_looks:_alike_flows",
        "TG201": "tikzgen.lint.rules.standing_alone:_balance",
        "TG202": "tikzgen.lint.rules.parameters:_undefined_parameter",
        "TG203": "tikzgen.lint.rules.parameters:_parameter_value",
        "TG204": "tikzgen.lint.rules.names:_node_name",
        "TG205": "tikzgen.lint.rules.names:_node_and_style",
        "TG206": "tikzgen.lint.rules.workers_and_flows:_unlisted_worker",
        "TG207": "tikzgen.lint.rules.colors_used:_shared_color",
        "TG208": "tikzgen.lint.rules.colors_used:_stray_color",
        "TG209": "tikzgen.lint.rules.colors_used:_palette_drift",
        "TG210": "tikzgen.lint.rules.metadata_beside:_requires",
        "TG211": "tikzgen.lint.rules.workers_and_flows:_loose_flow",
        "TG212": "tikzgen.lint.rules.standing_alone:_leaked_space",
        "TG213": "tikzgen.lint.rules.standing_alone:_leaking_definition",
        "TG214": "tikzgen.lint.rules.metadata_beside:_metadata",
        "TG215": "tikzgen.lint.rules.workers_and_flows:_worker_flows",
        "TG216": "tikzgen.lint.rules.parameters:_repeated_text",
        "TG217": "tikzgen.lint.rules.parameters:_repeated_number",
        "TG218": "tikzgen.lint.rules.parameters:_unused_parameter",
        "TG219": "tikzgen.lint.rules.names:_unknown_node",
        "TG220": "tikzgen.lint.rules.names:_defined_twice",
        "TG221": "tikzgen.lint.rules.timelines:_overlapping_spans",
        "TG222": "tikzgen.lint.rules.standing_alone:_side_file",
        "TG223": "tikzgen.lint.rules.workers_and_flows:_worker_order",
        "TG225": "tikzgen.lint.rules.workers_and_flows:_list_lengths",
        "TG226": "tikzgen.lint.rules.names:_fixed_name",
        "TG227": "tikzgen.lint.rules.parameters:_undefined_macro",
        "TG228": "tikzgen.lint.rules.names:_unknown_anchor",
        "TG301": "tikzgen.lint.probe.rules.text_overlaps:_text_over_text",
        "TG302": "tikzgen.lint.probe.rules.text_overlaps:_text_over_border",
        "TG303": "tikzgen.lint.probe.rules.text_overlaps:_struck_text",
        "TG304": "tikzgen.lint.probe.rules.text_gaps:_tight_padding",
        "TG305": "tikzgen.lint.probe.rules.text_size_and_alignment:_wide_text",
        "TG306": "tikzgen.lint.probe.rules.text_size_and_alignment:_small_text",
        "TG307": "tikzgen.lint.probe.rules.page_edges:_wide_page",
        "TG308": "tikzgen.lint.probe.rules.page_edges:_leaked_edge",
        "TG309": "tikzgen.lint.probe.rules.contrast_and_colors:_text_contrast",
        "TG310": "tikzgen.lint.probe.rules.contrast_and_colors:_stroke_contrast",
        "TG311": "tikzgen.lint.probe.rules.contrast_and_colors:_phases_alike",
        "TG312": "tikzgen.lint.probe.rules.against_tex:_planned_size",
        "TG313": "tikzgen.lint.probe.rules.overlapping_boxes:_box_over_box",
        "TG314": "tikzgen.lint.probe.rules.text_gaps:_near_text",
        "TG315": "tikzgen.lint.probe.rules.text_overlaps:_cut_text",
        "TG316": "tikzgen.lint.probe.rules.against_tex:_drawn_otherwise",
        "TG317": "tikzgen.lint.probe.rules.links_and_boxes:_loose_end",
        "TG318": "tikzgen.lint.probe.rules.links_and_boxes:_end_inside",
        "TG319": "tikzgen.lint.probe.rules.links_and_boxes:_same_course",
        "TG320": "tikzgen.lint.probe.rules.text_size_and_alignment:_shifted_baseline",
        "TG321": "tikzgen.lint.probe.rules.text_overlaps:_foreign_label",
        "TG322": "tikzgen.lint.probe.rules.page_edges:_far_legend",
        "TG323": "tikzgen.lint.probe.rules.page_edges:_tall_page",
        "TG324": "tikzgen.lint.probe.rules.contrast_and_colors:_hairline",
        "TG325": "tikzgen.lint.probe.rules.contrast_and_colors:_tonal_order",
        "TG326": "tikzgen.lint.probe.rules.links_and_boxes:_link_through_box",
        "TG327": "tikzgen.lint.probe.rules.evenness:_run_together",
        "TG328": "tikzgen.lint.probe.rules.evenness:_odd_size",
        "TG329": "tikzgen.lint.probe.rules.evenness:_uneven_gap",
        "TG330": "tikzgen.lint.probe.rules.turned_text:_turned_text",
        "TG331": "tikzgen.lint.probe.rules.turned_text:_title_off_center",
        "TG332": "tikzgen.lint.probe.rules.contrast_and_colors:_faint_area",
        "TG333": "tikzgen.lint.probe.rules.contrast_and_colors:_fine_dash",
        "TG334": "tikzgen.lint.probe.rules.siblings:_odd_link",
        "TG335": "tikzgen.lint.probe.rules.siblings:_odd_face",
        "TG336": "tikzgen.lint.probe.rules.siblings:_odd_box",
        "TG337": "tikzgen.lint.probe.rules.courses:_needless_crossing",
        "TG338": "tikzgen.lint.probe.rules.courses:_off_axis",
        "TG339": "tikzgen.lint.probe.rules.courses:_long_leader",
        "TG340": "tikzgen.lint.probe.rules.courses:_loose_frame",
    },
    needed=("code", "name", "summary", "subject", "look", "severity"),
    problem_of=_problem_of,
)


def rules_in(package: str, *, without: tuple[str, ...] = (), packages: bool = False) -> tuple[Rule, ...]:
    """Return the built-in rules of a package of tikzgen, by code; modules `without` are not loaded.

    With `packages`, the rules of all installed packages follow.
    """
    inside, left_out = f"{package}.", tuple(f"{package}.{module}:" for module in without)
    addresses = RULES.built_in.items()
    codes = [code for code, address in addresses if address.startswith(inside) and not address.startswith(left_out)]
    return tuple(RULES[code] for code in (*codes, *(RULES.map_entry_packages() if packages else ())))


def all_rules() -> tuple[Rule, ...]:
    """Return every rule: built-in rules by code, then rules of other packages."""
    return tuple(RULES[code] for code in RULES)
