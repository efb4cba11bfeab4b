"""Checks the options of the chart that options.yaml lists, one by one.

    options.py CHART HELM..

Prints one line per mistake, and exits with 1 if there are any.
"""

import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

from manifests import schema_mistakes

KUBERNETES = "1.33"
# The loader in C, if it is available, is ten times as fast.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
LEAST = {"database": {"existingSecret": "tarsy-database"}}


def merged(one, other):
    """Merges `other` into `one` as helm does. Values of `other` win."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return other
    return {key: merged(one.get(key), other[key]) if key in other else one[key] for key in {**one, **other}}


def rendered(chart, helm, option):
    """Returns helm's output and None, or None and helm's error."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as values:
        yaml.safe_dump(merged(LEAST, option["values"]), values)
        values.flush()
        command = [helm, "template", "release", chart, "--namespace", "ops", "--kube-version", KUBERNETES, "--values", values.name]
        done = subprocess.run(command + ["--is-upgrade"] * option.get("upgrade", False), capture_output=True, text=True, check=False)
    return (done.stdout, None) if done.returncode == 0 else (None, done.stderr)


def find(value, path):
    """Returns the value at a path of keys. Brackets enclose the name or the index of an item, or a key with dots."""
    path = re.sub(r"^POD", "spec.template.spec", path)
    for key, item in re.findall(r"([^.\[\]]+)|\[([^\]]+)\]", path):
        key = key or item
        if isinstance(value, list):
            named = [one for one in value if isinstance(one, dict) and one.get("name") == key]
            value = named[0] if named else value[int(key)] if key.isdigit() and int(key) < len(value) else None
        else:
            value = (value or {}).get(key)
    return value


def holds(found, wanted):
    """Whether `found` contains `wanted`."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(holds(found.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(map(holds, found, wanted))
    if isinstance(wanted, str) and wanted.startswith("~"):
        return wanted[1:] in str(found)
    return found == wanted


@functools.cache
def schema_mistakes_of(text):
    """Returns the mistakes of a manifest, given as JSON. Cached, because most manifests are the same for many options."""
    return schema_mistakes(json.loads(text), KUBERNETES)


def mistakes_of(option, manifests):
    objects = {f"{one['kind']}/{one['metadata']['name']}": one for one in manifests}
    # The name of the Job ends with a digest.
    objects |= {re.sub("-[0-9a-f]{8}$", "", name): one for name, one in objects.items() if name.startswith("Job/")}
    for one in manifests:
        yield from (f"{one['kind']}/{one['metadata']['name']}: {mistake}" for mistake in schema_mistakes_of(json.dumps(one, default=str)))
    for name, paths in option["expects"].items():
        if paths is None:
            if name in objects:
                yield f"{name} is there"
        elif name not in objects:
            yield f"{name} is not there"
        else:
            for path, wanted in paths.items():
                found = find(objects[name], path)
                if not holds(found, wanted):
                    yield f"{name}: {path} is {found!r}, not {wanted!r}"


def option_mistakes(chart, helms, option):
    answers = [rendered(chart, helm, option) for helm in helms]
    if "fails" in option:
        return [f"not refused for {option['fails']}" for _, refusal in answers if option["fails"] not in (refusal or "")]
    for _, refusal in answers:
        if refusal:
            return [refusal.strip()]
    if len({text for text, _ in answers}) > 1:
        return ["the versions of helm render it unlike each other"]
    return list(mistakes_of(option, [one for one in yaml.load_all(answers[0][0], LOADER) if one]))


def documented():
    """Returns the `values.yaml` of the installation guide as an option."""
    page = (pathlib.Path(__file__).parents[2] / "docs/INSTALL.md").read_text()
    block = re.search(r"with this `values.yaml`:\n+```yaml\n(.*?)```", page, re.DOTALL)
    return {"name": "values.yaml of docs/INSTALL.md", "values": yaml.safe_load(block[1]), "expects": {"Deployment/release-tarsy-pool-default": {}}}


def undocumented(chart):
    """Yields values of the chart that its page does not name."""
    page = (pathlib.Path(__file__).parents[2] / "docs/HELM.md").read_text()
    named = set(re.findall(r"`([A-Za-z.]+)`", page))
    for key, value in yaml.safe_load((pathlib.Path(chart) / "values.yaml").read_text()).items():
        inner = value if isinstance(value, dict) and key not in named else {}
        yield from (f"{key}.{one}" for one in inner if not {f"{key}.{one}", one} & named)
        if key not in named and not inner:
            yield key


def main():
    chart, *helms = sys.argv[1:]
    options = yaml.safe_load((pathlib.Path(__file__).parent / "options.yaml").read_text()) + [documented()]
    mistakes = [f"{option['name']}: {mistake}" for option in options for mistake in option_mistakes(chart, helms, option)]
    mistakes += [f"docs/HELM.md does not name {key}" for key in undocumented(chart)]
    print("\n".join(mistakes) or f"{len(options)} options of the chart do what they say")
    return bool(mistakes)


if __name__ == "__main__":
    sys.exit(main())
