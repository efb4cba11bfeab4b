"""Finds mistakes in the compose file and in files of variables."""

import copy
import re
import subprocess
import tempfile

import dotenv
import jsonschema
import yaml

# A URL with characters that are special to a shell.
HOSTILE = "postgres://tarsy:a$HOME#b;c\"d@h/db?sslmode=require&application_name=x y\\z"


def dependency_mistakes(services):
    """Yields dependencies with which Podman does not start a container.

    A dependency must not end, and the container must also name the dependencies of its dependencies.
    """
    for service, one in services.items():
        needed = set(one.get("depends_on", {}))
        for other in needed:
            if other not in services:
                yield f"{service}: depends on {other}, which is not there"
                continue
            if services[other].get("restart") == "on-failure":
                yield f"{service}: depends on {other}, which ends"
            for missing in set(services[other].get("depends_on", {})) - needed:
                yield f"{service}: depends on {other}, but not on its {missing}"


def compose_mistakes(compose, schema):
    # The schema does not know the key for the project's name yet.
    compose.pop("name")
    validator = jsonschema.Draft7Validator(schema)
    mistakes = [error.message for error in validator.iter_errors(compose)]
    spoilt = copy.deepcopy(compose)
    spoilt["services"]["api"]["comand"] = []
    if not list(validator.iter_errors(spoilt)):
        mistakes.append("the schema accepts a misspelt field")
    mistakes += dependency_mistakes(compose["services"])
    for service, one in compose["services"].items():
        if service != "postgres" and not (one["read_only"] and one["cap_drop"] == ["ALL"]):
            mistakes.append(f"{service}: root is writable, or has capabilities")
        if service != "postgres" and one.get("environment", {}).get("AGENT_CONFIG_FILE") != "/etc/tarsy/installed.yaml":
            mistakes.append(f"{service}: its configuration lacks the Kubernetes server of the image")
        if service not in ("migrate",) and "healthcheck" not in one:
            mistakes.append(f"{service}: no health check")
        url = next((word for word in one.get("healthcheck", {}).get("test", []) if word.startswith("http://")), None)
        listen = one.get("environment", {}).get("TARSY_OPS_LISTEN")
        if bool(url) is not bool(listen) or url and not url.endswith(":" + listen.rsplit(":", 1)[1]):
            mistakes.append(f"{service}: the health check asks {url}, TARSY_OPS_LISTEN is {listen}")
    return mistakes


def server_mistakes(configuration, containerfile):
    """Yields reasons why the Kubernetes server of an installed fleet would not start.

    A child process sees only the variables that its configuration lists.
    """
    server = yaml.safe_load(configuration.read_text())["mcp_servers"]["kubernetes-server"]["connection_params"]
    if f"/usr/bin/{server['command']}" not in containerfile.read_text():
        yield f"the image has no {server['command']}"
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"):
        if name not in server["env"]:
            yield f"kubernetes-server does not see {name}"


def environment_mistakes(path):
    """Yields the variables of a file whose values a shell and compose would read differently if they were `HOSTILE`."""
    text = path.read_text()
    # The name, and the quotation mark around its value.
    pattern = re.compile(r"^#?([A-Z][A-Z0-9_]*)=(['\"]?).*$", re.MULTILINE)
    hostile = pattern.sub(lambda found: f"{found[1]}={found[2]}{HOSTILE}{found[2]}", text)
    with tempfile.NamedTemporaryFile("w", suffix=".env") as file:
        file.write(hostile)
        file.flush()
        composed = dotenv.dotenv_values(file.name)
        for name in sorted({found[1] for found in pattern.finditer(text)}):
            script = f'set -a; . "{file.name}"; printf %s "${name}"'
            shell = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"})
            for reader, value in (("a shell", shell.stdout), ("compose", composed.get(name))):
                if value != HOSTILE:
                    yield f"{name}: {reader} reads {value!r}: keep it in single quotes"
