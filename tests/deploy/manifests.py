"""Checks rendered manifests against strict schemas."""

import copy
import json
import pathlib

import jsonschema
import kubernetes_validate

SCHEMAS = {
    (schema["properties"]["apiVersion"]["const"], schema["properties"]["kind"]["const"]): schema
    for schema in (json.loads(path.read_text()) for path in (pathlib.Path(__file__).parent / "schemas").glob("*.json"))
}


def schema_mistakes(manifest, version):
    """Returns what the schema of the manifest's kind rejects, for a version of Kubernetes."""
    own = SCHEMAS.get((manifest["apiVersion"], manifest["kind"]))
    if own is not None:
        return [error.message for error in jsonschema.Draft7Validator(own).iter_errors(manifest)]
    try:
        kubernetes_validate.validate(manifest, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        return [f"{'.'.join(str(part) for part in error.path)}: {error.message}"]
    except kubernetes_validate.SchemaNotFoundError:
        return ["there is no schema for this kind"]
    return []


def is_strict(manifest, version):
    """Whether the check rejects an unknown field next to the fields that authors write."""
    spoilt = copy.deepcopy(manifest)
    (spoilt if manifest["kind"] in ("ServiceAccount", "ConfigMap", "Secret", "ClusterRoleBinding") else spoilt["spec"])["misspelt"] = 1
    return bool(schema_mistakes(spoilt, version))
