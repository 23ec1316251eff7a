"""Who reads it how: what servers of real SDKs did with odd frames. `readers` has the data."""

from framegauge.behaviour.readers import Case, Outcome, Reading, Server, cases, fitting, of_findings, readers, servers

__all__ = ["Case", "Outcome", "Reading", "Server", "cases", "fitting", "of_findings", "readers", "servers"]
