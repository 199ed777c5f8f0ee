"""git and ssh: `fatal: …`, `error: …`, `CONFLICT (…)`."""

from indexing.signature.interface import DIAGNOSTIC, FATAL, SUMMARY, Rule, ToolRules

RULES = ToolRules(
    tool="git",
    known_by=r"^(?:fatal|error|hint|remote): |\bgit (?:clone|fetch|push|merge|checkout"
    r"|submodule|apply|rebase)\b",
    command=r"git",
    rules=(
        Rule(
            "fatal",
            ("fatal: ",),
            r"(?:stderr: )?fatal: (?!\[)(?!Could not read from remote"
            r"|The remote end hung up|clone of .* failed|early EOF|index-pack failed"
            r"|unable to find remote helper)\S",
            FATAL,
        ),
        Rule(
            "conflict",
            ("CONFLICT (", "KONFLIKT (", "CONFLIT ("),
            r"(?:CONFLICT|KONFLIKT|CONFLIT) \(",
            DIAGNOSTIC - 4,
        ),
        Rule(
            "rejected",
            ("! [rejected]", "! [remote rejected]"),
            r"\s*! \[(?:remote )?rejected\]",
            DIAGNOSTIC - 4,
        ),
        Rule(
            "error",
            ("error: ",),
            r"error: (?:pathspec|Your local changes|The following untracked"
            r"|failed to push|patch failed|.{1,300}: patch does not apply|RPC failed"
            r"|unable to (?:read|write|create|access|unlink|resolve|find|delete|rewind|index)"
            r"|cannot (?:lock|open|pull|rebase|stat|spawn|run|update|stash)|could not (?:lock"
            r"|apply|fetch|read|write|delete|parse|resolve)|insufficient permission"
            r"|Pulling is not possible|src refspec|object file|invalid (?:object|path|ref)"
            r"|corrupt)",
            FATAL - 2,
            None,
            True,
        ),
        Rule(
            "denied",
            (
                "Permission denied (",
                "Host key verification failed",
                "Repository not found",
                "remote: Invalid",
            ),
            r"(?:\S+: )?(?:Permission denied \((?:publickey|password)"
            r"|Host key verification failed|.*Repository not found|remote: Invalid)",
            FATAL + 2,
        ),
        Rule(
            "hung",
            ("fatal: ",),
            r"fatal: (?:Could not read from remote|The remote end hung up|clone of"
            r"|early EOF|index-pack)",
            SUMMARY + 6,
        ),
    ),
)
