"""A topology on paper: entities placed, flows routed, groups framed."""
