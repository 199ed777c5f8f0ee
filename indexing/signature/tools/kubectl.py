"""kubectl: `error: …`, `Error from server (Reason): …`, `Unable to connect …`."""

from indexing.signature.interface import DIAGNOSTIC, ERROR, FATAL, Rule, ToolRules

RULES = ToolRules(
    tool="kubectl",
    known_by=r"\bkubectl\b|\bkubeconfig\b|Error from server|memcache\.go:\d+\]|\.k8s\.io"
    r"|\bKubernetes\b|apiVersion",
    command=r"(?:kubectl|oc|k3s kubectl)",
    rules=(
        Rule("server", ("Error from server",), r"Error from server(?: \(\w+\))?: ", DIAGNOSTIC),
        Rule(
            "connect",
            ("Unable to connect to the server", "The connection to the server"),
            r"(?:Unable to connect to the server: |The connection to the server )",
            DIAGNOSTIC,
        ),
        Rule(
            "validation",
            (
                "error validating",
                "error parsing",
                "error converting",
                "error when",
                "unable to ",
                "is invalid",
            ),
            r"(?:error: )?(?:error (?:validating|parsing|converting|when) "
            r"|unable to (?:recognize|decode|build) |The \w+ \"\S+\" is invalid)",
            DIAGNOSTIC,
        ),
        Rule(
            "unknown",
            ("unknown flag", "unknown command", "unknown shorthand"),
            r"(?:error|Error): unknown (?:flag|command|shorthand)",
            DIAGNOSTIC,
            None,
            True,
        ),
        Rule(
            "api",
            ("couldn't get current server API",),
            r".{0,60}couldn't get current server API group list: ",
            ERROR + 5,
        ),
        Rule("error", ("error: ",), r"error: \S", FATAL, None, True),
        Rule(
            "wait",
            ("timed out waiting for the condition", "exceeded its progress deadline"),
            r".{0,200}(?:timed out waiting for the condition|exceeded its progress deadline)",
            FATAL,
        ),
    ),
)
