"""GitHub Actions: what the runner itself says, when no tool inside it failed."""

from indexing.signature.interface import FATAL, TRAILER, WRAPPER, Rule, ToolRules

RULES = ToolRules(
    tool="github-actions",
    known_by=r"##\[(?:group|error|section)\]|^::(?:error|group)",
    rules=(
        Rule(
            "trailer",
            ("Process completed with exit code", "exited with code '", "failed with exit code"),
            r"(?:(?:Error: )?Process completed with exit code -?\d+|\w+ exited with code '-?\d+'"
            r"|The process '.+' failed with exit code \d+)",
            TRAILER,
        ),
        Rule(
            "action",
            (
                "Unable to resolve action",
                "Can't find 'action.yml'",
                "No event triggers",
                "Invalid workflow",
                "Unrecognized named-value",
                "Input required and not supplied",
                "Resource not accessible by integration",
            ),
            r".{0,200}(?:Unable to resolve action|Can't find 'action\.yml'"
            r"|No event triggers|Invalid workflow|Unrecognized named-value"
            r"|Input required and not supplied|Resource not accessible by integration)",
            FATAL + 5,
        ),
        Rule(
            "cancelled",
            (
                "The operation was canceled",
                "has exceeded the maximum execution time",
                "lost communication with the server",
                "The hosted runner",
                "runner has received a shutdown",
            ),
            r".{0,200}(?:The operation was canceled"
            r"|has exceeded the maximum execution time"
            r"|lost communication with the server|The hosted runner"
            r"|runner has received a shutdown)",
            WRAPPER + 2,
        ),
    ),
    skip=(
        (
            "the runner's own wrapper",
            "Executing the custom container implementation failed",
            r"Executing the custom container implementation failed",
        ),
    ),
)
