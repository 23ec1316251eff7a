"""What framegauge judges: one rule is one value, in the module of its area; `registry` lists them all."""
