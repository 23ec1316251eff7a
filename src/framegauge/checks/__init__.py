"""What a row of a rule cannot express, as code by rule id."""
