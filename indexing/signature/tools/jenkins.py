"""Jenkins, GitLab, Travis, Buildkite, Circle, Azure: what other runners say themselves."""

from indexing.signature.interface import FATAL, TRAILER, WRAPPER, Rule, ToolRules

RULES = ToolRules(
    tool="jenkins",
    known_by=r"^\[Pipeline\] |^Started by |^Running on .* in /|^Finished: (?:FAILURE|SUCCESS)",
    rules=(
        Rule(
            "channel",
            (
                "ChannelClosedException",
                "marked offline",
                "channel is already closed",
                "Cannot contact ",
            ),
            r".{0,300}(?:ChannelClosedException|marked offline"
            r"|channel is already closed|Cannot contact \S+: )",
            FATAL + 5,
        ),
        Rule(
            "pipeline",
            ("WorkflowScript: ", "No such DSL method", "groovy.lang."),
            r"(?:WorkflowScript: \d+: |.*No such DSL method|groovy\.lang\.\w+: )",
            FATAL + 4,
        ),
        Rule(
            "script",
            (
                "script returned exit code",
                "marked build as failure",
                "Finished: FAILURE",
                "ERROR: Job failed",
                "Your build exited with",
                "exited with",
                "user command error",
                "Exited with code",
            ),
            r".{0,60}(?:script returned exit code \d+|marked build as failure"
            r"|Finished: FAILURE|ERROR: Job failed|Your build exited with"
            r"|The command \".*\" (?:failed and )?exited with \d|user command error"
            r"|Exited with code)",
            TRAILER,
        ),
        Rule(
            "travis-timeout",
            ("No output has been received", "The job exceeded the maximum"),
            r".*(?:No output has been received in the last|The job exceeded the maximum)",
            WRAPPER + 6,
        ),
    ),
)
