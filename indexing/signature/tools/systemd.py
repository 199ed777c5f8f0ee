"""systemd and kubelet journals: klog's `E0821 …`, a unit that failed."""

from indexing.signature.interface import ERROR, FATAL, WRAPPER, Rule, ToolRules

RULES = ToolRules(
    tool="systemd",
    known_by=r"systemd(?:\[\d+\])?: |kubelet(?:\[\d+\])?: ",
    command=r"(?:systemctl|journalctl|kubelet|kubeadm)",
    rules=(
        Rule(
            "klog-fatal",
            (".go:",),
            r".{0,120}?\bF\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+\.go:\d+\] ",
            FATAL + 2,
        ),
        Rule(
            "klog-run",
            ("failed to run Kubelet", '"command failed"'),
            r".{0,200}(?:failed to run Kubelet|\"command failed\" err=)",
            FATAL + 3,
        ),
        Rule(
            "klog",
            (".go:",),
            r".{0,120}?\bE\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+\.go:\d+\] ",
            ERROR + 4,
        ),
        Rule(
            "spawn",
            ("Failed at step ",),
            r"\S+: Failed at step [A-Z_]+ spawning \S|systemd\S*: \S+: Failed at step ",
            FATAL,
        ),
        Rule(
            "file",
            (".service:", ".timer:", ".socket:"),
            r"\S+\.(?:service|timer|socket):\d+: (?!.*(?:please use|will be removed"
            r"|deprecated))\S",
            FATAL,
        ),
        Rule(
            "unit",
            ("Failed with result", "Failed to start", "entered failed state"),
            r".{0,120}systemd(?:\[\d+\])?: .*(?:Failed with result|Failed to start"
            r"|entered failed state)",
            WRAPPER + 6,
        ),
    ),
)
