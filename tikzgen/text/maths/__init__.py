"""Math in labels: parsing, validation, and conversion to parts that can be measured."""
