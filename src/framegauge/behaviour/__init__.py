"""Who reads it how: what servers of real SDKs did with odd frames. `readers` has the data, `words` puts it in words."""

from framegauge.behaviour.readers import Case, Outcome, Reading, Server, cases, fitting, readers, servers

__all__ = ["Case", "Outcome", "Reading", "Server", "cases", "fitting", "readers", "servers"]
