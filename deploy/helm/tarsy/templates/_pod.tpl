{{/*
Options of a component's pods: of all components (all) and its own (own). Lists are joined, maps merged; of the rest its own counts.
*/}}
{{- define "tarsy.podOptions" -}}
{{- $all := .all -}}
{{- $own := .own -}}
{{- $options := dict -}}
{{- range list "envFrom" "imagePullSecrets" "initContainers" "sidecars" "tolerations" "volumeMounts" "volumes" -}}
{{- $_ := set $options . (concat (get $all . | default list) (get $own . | default list) | default list) -}}
{{- end -}}
{{- range list "containerSecurityContext" "containerSpec" "nodeSelector" "podAnnotations" "podLabels" "podSecurityContext" "podSpec" -}}
{{- $_ := set $options . (mergeOverwrite (deepCopy (get $all . | default dict)) (deepCopy (get $own . | default dict))) -}}
{{- end -}}
{{- range list "affinity" "priorityClassName" "topologySpreadConstraints" -}}
{{- $_ := set $options . (get $own . | default (get $all .)) -}}
{{- end -}}
{{- toYaml $options -}}
{{- end -}}

{{/*
Variables of a container from maps of them; the first that names one counts. A value is a scalar, or what an EnvVar has besides its name.
*/}}
{{- define "tarsy.env" -}}
{{- $found := dict -}}
{{- range . }}{{ range $name, $value := . }}{{ if not (hasKey $found $name) }}{{ $_ := set $found $name $value }}{{ end }}{{ end }}{{ end -}}
{{- range $name, $value := $found }}
- {{ if kindIs "map" $value }}{{ toJson (merge (dict "name" $name) $value) }}{{ else }}{{ dict "name" $name "value" (kindIs "string" $value | ternary $value (toJson $value)) | toJson }}{{ end }}
{{- end }}
{{- end -}}

{{/*
The template of a pod, of every component. root; name (of the component); spec (its values); inherited (values of all components that it
takes part in); account (its ServiceAccount); container (the fields that are its own; image, options and mounts are added); volumes, mounts
(its own); annotations, labels; waits: it begins once the schema is there; isSpread: over nodes; pod: further fields of the pod.
*/}}
{{- define "tarsy.podTemplate" -}}
{{- $root := .root -}}
{{- $options := fromYaml (include "tarsy.podOptions" (dict "all" .inherited "own" .spec)) -}}
{{- $volumes := concat (.volumes | default list) (fromYamlArray (include "tarsy.caVolumes" $root)) -}}
{{- $mounts := .mounts | default list -}}
{{- range fromYamlArray (include "tarsy.caVolumes" $root) -}}
{{- $mounts = append $mounts (dict "name" .name "mountPath" (printf "/etc/tarsy/%s" .name) "readOnly" true) -}}
{{- end -}}
{{- $common := dict "imagePullPolicy" $root.Values.image.pullPolicy "securityContext" $options.containerSecurityContext -}}
{{- with concat $mounts $options.volumeMounts }}{{ $_ := set $common "volumeMounts" . }}{{ end -}}
{{- $container := mergeOverwrite (deepCopy $common) (deepCopy .container) -}}
{{- $initContainers := $options.initContainers -}}
{{- if .waits -}}
{{- $initContainers = append $initContainers (mergeOverwrite (deepCopy $common) (dict "name" "wait-for-schema" "image" (include "tarsy.image" $root)
      "args" (list "migrate" "--wait" "--timeout" (printf "%ds" (int $root.Values.migrations.timeoutSeconds)))
      "env" .container.env "resources" $root.Values.migrations.resources)) -}}
{{- end -}}
{{- with $options.envFrom -}}
{{- $sources := list -}}
{{- range . }}{{ $sources = append $sources (kindIs "string" . | ternary (dict "secretRef" (dict "name" .)) .) }}{{ end -}}
{{- $_ := set $container "envFrom" $sources -}}
{{- end -}}
{{- $pod := dict "serviceAccountName" .account "automountServiceAccountToken" (.automount | default false) "enableServiceLinks" false
      "securityContext" $options.podSecurityContext "initContainers" $initContainers
      "containers" (prepend $options.sidecars (mergeOverwrite $container $options.containerSpec)) "volumes" (concat $volumes $options.volumes)
      "imagePullSecrets" $options.imagePullSecrets "priorityClassName" $options.priorityClassName "nodeSelector" $options.nodeSelector
      "tolerations" $options.tolerations "affinity" $options.affinity "topologySpreadConstraints" $options.topologySpreadConstraints -}}
{{- $selector := merge (fromYaml (include "tarsy.selector" $root)) (dict "app.kubernetes.io/component" .name) -}}
{{- if and .isSpread (not $options.topologySpreadConstraints) -}}
{{- $_ := set $pod "topologySpreadConstraints" (list (dict "maxSkew" 1 "topologyKey" "kubernetes.io/hostname" "whenUnsatisfiable" "ScheduleAnyway"
      "labelSelector" (dict "matchLabels" (deepCopy $selector)))) -}}
{{- end -}}
{{- range list "initContainers" "volumes" "imagePullSecrets" "priorityClassName" "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" "serviceAccountName" -}}
{{- if empty (get $pod .) }}{{ $_ := unset $pod . }}{{ end -}}
{{- end -}}
metadata:
  labels:
    {{- toYaml (merge $selector (fromYaml (include "tarsy.labels" $root)) (.labels | default dict) $options.podLabels $root.Values.commonLabels) | nindent 4 }}
  {{- with merge (dict) (.annotations | default dict) $options.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- toYaml (mergeOverwrite $pod (.pod | default dict) $options.podSpec) | nindent 2 }}
{{- end -}}

{{/*
A Deployment of a role. root, name (of the component), command (of the program), image, spec (values of the role), port (name, number),
env (a dict), grace (seconds), preStop (seconds), automount, config (of a pool), isScaled.
*/}}
{{- define "tarsy.deployment" -}}
{{- $root := .root -}}
{{- $spec := .spec -}}
{{- $fullname := include "tarsy.fullname" $root -}}
{{- $configMap := include "tarsy.configMap" . -}}
{{- $own := deepCopy .env -}}
{{- $volumes := list (dict "name" "tmp" "emptyDir" (dict "sizeLimit" "256Mi")) -}}
{{- $mounts := list (dict "name" "tmp" "mountPath" "/tmp") -}}
{{- if $configMap -}}
{{- $_ := set $own "AGENT_CONFIG_FILE" "/etc/tarsy/config/agents.yaml" -}}
{{- $volumes = append $volumes (dict "name" "config" "configMap" (dict "name" $configMap)) -}}
{{- $mounts = append $mounts (dict "name" "config" "mountPath" "/etc/tarsy/config" "readOnly" true) -}}
{{- end -}}
{{- if $root.Values.config.runbooks -}}
{{- $_ := set $own "RUNBOOK_DIR" "/etc/tarsy/local-runbooks" -}}
{{- $volumes = append $volumes (dict "name" "runbooks" "configMap" (dict "name" (printf "%s-runbooks" $fullname))) -}}
{{- $mounts = append $mounts (dict "name" "runbooks" "mountPath" "/etc/tarsy/local-runbooks" "readOnly" true) -}}
{{- end -}}
{{- $env := include "tarsy.env" (list $spec.env $root.Values.env $own (fromYaml (include "tarsy.databaseEnv" $root))) -}}
{{- $livez := dict "httpGet" (dict "path" "/livez" "port" .port.name) -}}
{{- $container := dict "name" .command "image" .image "args" (list .command) "env" (fromYamlArray $env) "resources" $spec.resources
      "ports" (list (dict "name" .port.name "containerPort" .port.number "protocol" "TCP"))
      "startupProbe" (merge (dict "periodSeconds" 2 "failureThreshold" 30) $livez)
      "livenessProbe" (merge (dict "periodSeconds" 10 "timeoutSeconds" 5 "failureThreshold" 6) $livez)
      "readinessProbe" (dict "periodSeconds" 5 "timeoutSeconds" 3 "failureThreshold" 2 "httpGet" (dict "path" "/readyz" "port" .port.name)) -}}
{{- if and (.preStop | default 0 | int) (semverCompare ">=1.30.0-0" $root.Capabilities.KubeVersion.Version) -}}
{{- $_ := set $container "lifecycle" (dict "preStop" (dict "sleep" (dict "seconds" .preStop))) -}}
{{- end -}}
{{- $checksum := printf "%s%s%s%s" (toJson (.config | default dict)) (toJson $root.Values.config) (toJson $root.Values.ca) (toJson $root.Values.database) | sha256sum -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "tarsy.metadata" (dict "root" $root "name" (printf "%s-%s" $fullname .name) "component" .name "labels" $spec.labels "annotations" $spec.annotations) | nindent 2 }}
spec:
  {{- if not .isScaled }}
  replicas: {{ $spec.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxUnavailable: 0, maxSurge: 1}
  selector:
    matchLabels:
      {{- include "tarsy.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .name }}
  template:
    {{- include "tarsy.podTemplate" (dict "root" $root "name" .name "spec" $spec "inherited" $root.Values "account" (include "tarsy.account" .)
          "automount" .automount "container" $container "volumes" $volumes "mounts" $mounts "waits" true "isSpread" true
          "labels" (dict "tarsy/role" .command "tarsy/port" .port.name) "annotations" (dict "checksum/config" $checksum)
          "pod" (dict "terminationGracePeriodSeconds" .grace)) | nindent 4 }}
{{- include "tarsy.serviceAccount" . }}
{{- if $spec.pdb.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "tarsy.metadata" (dict "root" $root "name" (printf "%s-%s" $fullname .name)) | nindent 2 }}
spec:
  maxUnavailable: {{ $spec.pdb.maxUnavailable }}
  selector:
    matchLabels:
      {{- include "tarsy.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .name }}
{{- end }}
{{- end -}}
