"""docker: the client's and the builder's own failures; a failing RUN has its tool inside."""

from indexing.signature.interface import DIAGNOSTIC, FATAL, WRAPPER, Rule, ToolRules

RULES = ToolRules(
    tool="docker",
    known_by=r"^#\d+ \[|^Step \d+/\d+ : |\bdocker(?:file|d)?\b|\bDockerfile\b|\bbuildkit\b"
    r"|failed to solve",
    command=r"(?:docker|docker-compose|podman|buildah|nerdctl|buildctl)",
    rules=(
        Rule(
            "process",
            (
                "did not complete successfully",
                "executor failed running",
                "returned a non-zero code",
                'process "/bin/',
            ),
            r".{0,200}(?:\" did not complete successfully|executor failed running"
            r"|returned a non-zero code)"
            r"|(?:ERROR: |failed to (?:build|solve): ){1,3}process \"/bin/",
            WRAPPER,
        ),
        Rule(
            "solve",
            ("failed to solve",),
            r"(?:ERROR: |error: |target \S+: )?failed to solve(?: with frontend \S+)?:"
            r" (?!process|executor)\S",
            FATAL + 8,
        ),
        Rule(
            "step",
            ("ERROR: ",),
            r"ERROR: (?!process |executor failed|failed to solve|Service|Job failed"
            r"|failed to build: failed to solve)(?:failed to|pull access"
            r"|[\w.-]{1,80}[/:@][\w./:@-]{1,200}: |unexpected|docker|error)",
            FATAL,
            None,
            True,
        ),
        Rule(
            "daemon",
            ("daemon", "error during connect", "Got permission denied"),
            r"(?:ERROR: |docker: |error: )?(?:Cannot connect to the Docker daemon"
            r"|Error response from daemon: |error during connect"
            r"|Got permission denied while)",
            FATAL + 9,
        ),
        Rule(
            "parse",
            (
                "Dockerfile parse error",
                "dockerfile parse error",
                "unknown instruction",
                "Unknown instruction",
            ),
            r"(?:ERROR: |Error response from daemon: )?.{0,60}(?:[Dd]ockerfile parse e"
            r"rror|[Uu]nknown instruction)",
            DIAGNOSTIC,
        ),
        Rule(
            "copy",
            (
                "COPY failed",
                "ADD failed",
                "failed to compute cache key",
                "failed to calculate checksum",
            ),
            r"(?:ERROR: |failed to solve: )?.{0,80}(?:COPY failed|ADD failed"
            r"|failed to (?:compute cache key|calculate checksum))",
            FATAL + 9,
        ),
        Rule(
            "flag",
            (
                "unknown flag",
                "unknown shorthand",
                "is not a docker command",
                "invalid reference format",
                "requires exactly",
                "requires at least",
            ),
            r"(?:ERROR: |docker: |unable to )?.{0,60}(?:unknown flag"
            r"|unknown shorthand|is not a docker command|invalid reference format"
            r"|requires (?:exactly|at least))",
            FATAL + 5,
            None,
            True,
        ),
        Rule(
            "manifest",
            (
                "manifest unknown",
                "manifest for ",
                "pull access denied",
                "no matching manifest",
                "toomanyrequests",
            ),
            r".{0,200}(?:manifest unknown|manifest for \S+ not found"
            r"|pull access denied|no matching manifest|toomanyrequests)",
            FATAL + 7,
        ),
        Rule(
            "compose",
            ('service "', "services.", "yaml: ", "no configuration file", "validating "),
            r"(?:service \"\S+\" |services\.\S+ |yaml: |no configuration file"
            r"|validating \S+: )\S",
            FATAL,
            None,
            True,
        ),
        Rule(
            "runtime",
            ("OCI runtime", "runc"),
            r".{0,200}OCI runtime (?:create|exec) failed",
            FATAL + 9,
        ),
    ),
)
