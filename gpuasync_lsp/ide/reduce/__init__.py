"""The smallest program that still shows something: a finding, a crash, what a script looks for."""
