"""What a row of a rule cannot express, as code by rule id.

Each check gets one decoded object that the protocol data describes by name, and yields what is wrong with it, in the
order of the frame. framegauge.gauge.nested finds these objects, and is imported for the first frame that has one. A
rule names the shapes of its checks in `Rule.at`, from which the native layer learns whether there can be any.
"""
