"""Whether "Who …?" is answered where people are mentions only, and what a rename costs, on both flavours."""
