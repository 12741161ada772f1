"""Microsoft Teams: what people see there. Rendering needs no SDK: it gives activities and Adaptive Cards as JSON."""
