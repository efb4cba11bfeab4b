"""Checks that the dashboard distinguishes fleets, and that the chart contains copies of the files in deploy/."""

import json
import re

FILTERS = 'namespace=~"$namespace",job=~"$job"'
GROUPING = re.compile(r"\b(?:by|on) \(([^)]*)\)")
UNGROUPED = re.compile(r"\b(?:sum|min|max|avg|count)\(")
METRIC = re.compile(r"\b(?:tarsy|process)_[a-z0-9_]+(\{[^}]*\})?")


def query_mistakes(query):
    if UNGROUPED.search(query):
        yield "sums all fleets"
    for found in GROUPING.finditer(query):
        if not {"namespace", "job"} <= {label.strip() for label in found[1].split(",")}:
            yield f"{found[0]} puts fleets together"
    for found in METRIC.finditer(query):
        if FILTERS not in (found[1] or ""):
            yield f"{found[0]} is of all fleets"


def fleet_mistakes(deploy):
    """Yields mistakes in the dashboard's queries and legends, and in the chart's copies."""
    dashboard = json.loads((deploy / "grafana/tarsy.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield from (f"{panel['title']}: {mistake}: {target['expr']}" for mistake in query_mistakes(target["expr"]))
            if not target["legendFormat"].startswith("{{namespace}} {{job}}"):
                yield f"{panel['title']}: its legend names no fleet"
    for copy, source in (("dashboard.json", "grafana/tarsy.json"), ("rules.yaml", "prometheus/rules.yaml")):
        if (deploy / "helm/tarsy" / copy).read_text() != (deploy / source).read_text():
            yield f"helm/tarsy/{copy} is no copy of {source}"
