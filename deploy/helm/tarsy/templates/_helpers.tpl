{{- define "tarsy.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "tarsy.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "tarsy.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "tarsy.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "tarsy.selector" -}}
app.kubernetes.io/name: {{ include "tarsy.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tarsy.labels" -}}
{{ include "tarsy.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Metadata of an object. Parameters: root, name; component, labels, annotations, namespace; isClusterWide: without a namespace. */}}
{{- define "tarsy.metadata" -}}
{{- $labels := fromYaml (include "tarsy.labels" .root) -}}
{{- with .component }}{{ $_ := set $labels "app.kubernetes.io/component" . }}{{ end -}}
name: {{ .name }}
{{- if not .isClusterWide }}
namespace: {{ .namespace | default .root.Release.Namespace }}
{{- end }}
labels:
  {{- toYaml (merge $labels (.labels | default dict) .root.Values.commonLabels) | nindent 2 }}
{{- with merge (dict) (.annotations | default dict) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "tarsy.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{- end -}}
{{- end -}}
{{- end -}}

{{- define "tarsy.toolsImage" -}}
{{- with .Values.image -}}
{{- if .toolsDigest -}}{{ .toolsRepository }}@{{ .toolsDigest }}{{- else -}}{{ .toolsRepository }}:{{ .toolsTag | default (printf "%s-tools" $.Chart.AppVersion) }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Name of the Secret with the database's URL. */}}
{{- define "tarsy.databaseSecret" -}}
{{- if .Values.database.existingSecret -}}
{{- .Values.database.existingSecret -}}
{{- else if .Values.database.url -}}
{{- include "tarsy.fullname" . }}-database
{{- else -}}
{{- fail "set database.existingSecret (a Secret with DATABASE_URL), or database.url for a trial" -}}
{{- end -}}
{{- end -}}

{{/* Name of a component's service account. Parameters: root, name, spec. */}}
{{- define "tarsy.account" -}}
{{- $own := .spec.serviceAccount -}}
{{- $own.name | default (ternary (printf "%s-%s" (include "tarsy.fullname" .root) .name) "default" $own.create) -}}
{{- end -}}

{{- define "tarsy.serviceAccount" -}}
{{- if .spec.serviceAccount.create }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "tarsy.metadata" (dict "root" .root "name" (include "tarsy.account" .) "annotations" .spec.serviceAccount.annotations) | nindent 2 }}
automountServiceAccountToken: false
{{- end }}
{{- end -}}

{{/* ConfigMap with agents.yaml for a role. Parameters: root and, for a pool, its config. */}}
{{- define "tarsy.configMap" -}}
{{- $own := .config | default dict -}}
{{- if $own.existingConfigMap -}}{{ $own.existingConfigMap }}
{{- else if $own.agents -}}{{ include "tarsy.fullname" .root }}-{{ .name }}
{{- else if .root.Values.config.existingConfigMap -}}{{ .root.Values.config.existingConfigMap }}
{{- else if .root.Values.config.agents -}}{{ include "tarsy.fullname" .root }}-config
{{- end -}}
{{- end -}}

{{/* Public URL of the API: scheme, host and optionally a path; empty if unknown. */}}
{{- define "tarsy.publicUrl" -}}
{{- $api := .Values.api -}}
{{- if .Values.publicUrl -}}{{ trimSuffix "/" .Values.publicUrl }}
{{- else if $api.ingress.enabled -}}{{ include "tarsy.ingressScheme" . }}://{{ required "api.ingress.host: the name that people open" $api.ingress.host }}
{{- else if and $api.httpRoute.enabled $api.httpRoute.hostnames -}}{{ ternary "https" "http" $api.httpRoute.https }}://{{ first $api.httpRoute.hostnames }}
{{- end -}}
{{- end -}}

{{- define "tarsy.ingressScheme" -}}
{{- ternary "https" "http" (or (ne .Values.api.ingress.tlsSecret "") (gt (len .Values.api.ingress.tls) 0)) -}}
{{- end -}}

{{/* Origins of pages that may use the API: the public URL, and each host of Ingress and HTTPRoute. */}}
{{- define "tarsy.origins" -}}
{{- $api := .Values.api -}}
{{- $origins := list -}}
{{- with include "tarsy.publicUrl" . }}{{ $url := urlParse . }}{{ $origins = append $origins (printf "%s://%s" $url.scheme $url.host) }}{{ end -}}
{{- if $api.ingress.enabled -}}
{{- range prepend $api.ingress.extraHosts $api.ingress.host }}{{ $origins = append $origins (printf "%s://%s" (include "tarsy.ingressScheme" $) .) }}{{ end -}}
{{- end -}}
{{- if $api.httpRoute.enabled -}}
{{- range $api.httpRoute.hostnames }}{{ $origins = append $origins (printf "%s://%s" (ternary "https" "http" $api.httpRoute.https) .) }}{{ end -}}
{{- end -}}
{{- $exact := list -}}
{{- range uniq $origins }}{{ if not (contains "*" .) }}{{ $exact = append $exact . }}{{ end }}{{ end -}}
{{- join "," $exact -}}
{{- end -}}
