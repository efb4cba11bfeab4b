"""Checks rendered manifests, the compose file and the dashboard, first against strict schemas and then against each other.

    check.py NAME-1.33.yaml.. --compose deploy/compose.yaml --compose-schema compose-spec.json

The name of a manifest's file ends with the Kubernetes version that it was rendered for. Prints one line per mistake, and exits with 1 if there are any.
Each schema check first has to reject a misspelt field.
"""

import argparse
import json
import pathlib
import sys

import yaml

from compose import compose_mistakes, environment_mistakes, server_mistakes
from fleets import fleet_mistakes
from manifests import is_strict, schema_mistakes


def name(manifest):
    return f"{manifest['kind']}/{manifest['metadata']['name']}"


def env_of(container):
    return {one["name"]: one.get("value") for one in container.get("env", [])}


def seconds(value):
    return int((value or "0s").removesuffix("s"))


def selects(selector, labels):
    if any(labels.get(key) != value for key, value in selector.get("matchLabels", {}).items()):
        return False
    return all(
        labels.get(one["key"]) in one["values"] for one in selector.get("matchExpressions", []) if one["operator"] == "In"
    )


def pod_mistakes(manifest):
    pod = manifest["spec"]["template"]["spec"]
    for container in pod["containers"] + pod.get("initContainers", []):
        label = container["name"]
        security = container.get("securityContext", {})
        wanted = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
        for key, value in wanted.items():
            if security.get(key) != value:
                yield f"{label}: {key} is not {value}"
        if "memory" not in container["resources"].get("limits", {}) or "cpu" not in container["resources"].get("requests", {}):
            yield f"{label}: no memory limit or CPU request"
        names = [one["name"] for one in container.get("env", [])]
        if len(names) != len(set(names)):
            yield f"{label}: a variable is set twice"
    security = pod["securityContext"]
    if not security["runAsNonRoot"] or security["runAsUser"] < 10_000 or security["seccompProfile"]["type"] != "RuntimeDefault":
        yield "not the restricted pod security standard"
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    for container in pod["containers"]:
        for mount in container.get("volumeMounts", []):
            if mount["name"] not in volumes:
                yield f"{container['name']}: no volume {mount['name']}"
        if manifest["kind"] == "Job":
            continue
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        for probe in ("livenessProbe", "readinessProbe"):
            target = container[probe].get("httpGet") or container[probe].get("tcpSocket")
            if target is None:
                yield f"{container['name']}: {probe} asks no port"
            elif target["port"] not in ports:
                yield f"{container['name']}: {probe}: no port {target['port']}"
        env = env_of(container)
        for variable, port in (("TARSY_LISTEN", "http"), ("TARSY_OPS_LISTEN", "ops")):
            if variable in env and not env[variable].endswith(f":{ports.get(port)}"):
                yield f"{container['name']}: {variable} is {env[variable]}, the port {port} is {ports.get(port)}"
        sleep = container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        needs = seconds(env.get("TARSY_DRAIN_DELAY")) + seconds(env.get("TARSY_DRAIN_GRACE")) + sleep
        # Handing back jobs may take 20 s while Postgres does not respond.
        if env.get("TARSY_DRAIN_GRACE") and pod["terminationGracePeriodSeconds"] < needs + 15:
            yield f"terminationGracePeriodSeconds is {pod['terminationGracePeriodSeconds']}, the drain takes {needs}"


def together(manifests):
    """Yields manifests that do not match each other."""
    found = {(one["kind"], one["metadata"]["name"]): one for one in manifests}
    workloads = [one for one in manifests if one["kind"] in ("Deployment", "Job")]
    services = [one["metadata"]["labels"] for one in manifests if one["kind"] == "Service"]
    pods = {name(one): one["spec"]["template"]["metadata"]["labels"] for one in workloads}
    pods |= {name(one): one["metadata"]["labels"] for one in manifests if one["kind"] == "Pod"}
    if len(found) != len(manifests):
        yield "two manifests have the same kind and name"
    for one in workloads:
        for mistake in pod_mistakes(one):
            yield f"{name(one)}: {mistake}"
        pod = one["spec"]["template"]["spec"]
        account = pod.get("serviceAccountName")
        if account and ("ServiceAccount", account) not in found:
            yield f"{name(one)}: no ServiceAccount {account}"
        for volume in pod.get("volumes", []):
            wanted = volume.get("configMap", {}).get("name")
            if wanted and ("ConfigMap", wanted) not in found:
                yield f"{name(one)}: no ConfigMap {wanted}"
        if one["kind"] == "Deployment" and not selects(one["spec"]["selector"], pods[name(one)]):
            yield f"{name(one)}: does not select its own pods"
        bound = {subject["name"] for other in manifests if other["kind"] == "ClusterRoleBinding" for subject in other["subjects"]}
        if pod.get("automountServiceAccountToken") is not (account in bound):
            yield f"{name(one)}: a token of the API server is mounted exactly where a role is bound"
    denied = [one for one in manifests if one["kind"] == "NetworkPolicy" and set(one["spec"]["policyTypes"]) == {"Ingress", "Egress"}
              and "ingress" not in one["spec"] and "egress" not in one["spec"]]
    for workload, labels in pods.items():
        if not any(selects(one["spec"]["podSelector"], labels) for one in denied):
            yield f"{workload}: no default-deny NetworkPolicy"
    for one in manifests:
        spec = one.get("spec", {})
        selector = {"Service": {"matchLabels": spec.get("selector")}, "PodDisruptionBudget": spec.get("selector"),
                    "PodMonitor": spec.get("selector"), "NetworkPolicy": spec.get("podSelector")}.get(one["kind"])
        if selector is not None and not any(selects(selector, labels) for labels in pods.values()):
            yield f"{name(one)}: selects no pod"
        if one["kind"] == "ServiceMonitor" and not any(selects(spec["selector"], labels) for labels in services):
            yield f"{name(one)}: selects no Service"
        for endpoint in spec.get("podMetricsEndpoints", []):
            for workload in workloads:
                if selects(selector, pods[name(workload)]):
                    named = {port["name"] for container in workload["spec"]["template"]["spec"]["containers"] for port in container["ports"]}
                    if endpoint["port"] not in named:
                        yield f"{name(one)}: {name(workload)} has no port {endpoint['port']}"
        if one["kind"] in ("ScaledObject", "HorizontalPodAutoscaler"):
            target = found.get(("Deployment", spec["scaleTargetRef"]["name"]))
            if target is None or "replicas" in target["spec"]:
                yield f"{name(one)}: its Deployment is missing, or says how many replicas it has"
        for trigger in spec.get("triggers", []):
            if ("TriggerAuthentication", trigger["authenticationRef"]["name"]) not in found:
                yield f"{name(one)}: no TriggerAuthentication"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("rendered", nargs="+", type=pathlib.Path)
    arguments.add_argument("--clusters", nargs="*", type=pathlib.Path, default=[], help="manifests that name objects of a platform")
    arguments.add_argument("--compose", type=pathlib.Path, required=True)
    arguments.add_argument("--compose-schema", type=pathlib.Path, required=True)
    arguments = arguments.parse_args()
    mistakes, count = [], 0
    for path in arguments.rendered + arguments.clusters:
        manifests = [one for one in yaml.safe_load_all(path.read_text()) if one]
        version = path.stem.rsplit("-", 1)[-1]
        count += len(manifests)
        for one in manifests:
            mistakes += [f"{path.name}: {name(one)}: {mistake}" for mistake in schema_mistakes(one, version)]
            if not is_strict(one, version):
                mistakes.append(f"{path.name}: {name(one)}: its schema accepts a misspelt field")
        if path in arguments.rendered:
            mistakes += [f"{path.name}: {mistake}" for mistake in together(manifests)]
    compose = yaml.safe_load(arguments.compose.read_text())
    schema = json.loads(arguments.compose_schema.read_text())
    mistakes += [f"{arguments.compose.name}: {mistake}" for mistake in compose_mistakes(compose, schema)]
    deploy = arguments.compose.resolve().parent
    mistakes += fleet_mistakes(deploy)
    mistakes += server_mistakes(deploy.parent / "config/installed.yaml", deploy / "Containerfile")
    for path in (deploy / "tarsy.env.example", deploy / "systemd/tarsy.env"):
        mistakes += [f"{path.name}: {mistake}" for mistake in environment_mistakes(path)]
    print("\n".join(mistakes) or f"{count} manifests and {len(compose['services'])} services are sound")
    return bool(mistakes)


sys.exit(main())
