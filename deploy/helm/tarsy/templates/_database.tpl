{{/* Environment variables for the database URLs and the trusted certificates, by name. */}}
{{- define "tarsy.databaseEnv" -}}
{{- $database := .Values.database -}}
{{- $secret := include "tarsy.databaseSecret" . -}}
DATABASE_URL:
  valueFrom: {secretKeyRef: {name: {{ $secret }}, key: {{ $database.urlKey }}}}
{{- with $database.directUrlKey }}
DATABASE_DIRECT_URL:
  valueFrom: {secretKeyRef: {name: {{ $secret }}, key: {{ . }}}}
{{- end }}
{{- with $database.replicaUrlKey }}
HISTORY_DATABASE_URL:
  valueFrom: {secretKeyRef: {name: {{ $secret }}, key: {{ . }}}}
{{- end }}
{{- with $database.sslMode }}
PGSSLMODE: {{ . }}
{{- end }}
{{- with include "tarsy.databaseCaFile" . }}
PGSSLROOTCERT: {{ . }}
{{- end }}
{{- if include "tarsy.hasCa" .Values.ca }}
# The image's certificates and those of `ca`. Node.js uses a separate variable.
SSL_CERT_DIR: /etc/ssl/certs:/etc/tarsy/ca
NODE_EXTRA_CA_CERTS: /etc/tarsy/ca/ca.crt
{{- end }}
{{- end -}}

{{- define "tarsy.hasCa" -}}
{{- or .certificates .existingConfigMap .existingSecret -}}
{{- end -}}

{{/* File with the authority that verifies Postgres' certificate; empty: only the public authorities. */}}
{{- define "tarsy.databaseCaFile" -}}
{{- if include "tarsy.hasCa" .Values.database.ca -}}/etc/tarsy/database-ca/ca.crt
{{- else if include "tarsy.hasCa" .Values.ca -}}/etc/tarsy/ca/ca.crt
{{- end -}}
{{- end -}}

{{/* Volumes of certificates, as a list. */}}
{{- define "tarsy.caVolumes" -}}
{{- $root := . -}}
{{- range $name, $ca := dict "ca" .Values.ca "database-ca" .Values.database.ca }}
{{- if include "tarsy.hasCa" $ca }}
- name: {{ $name }}
  {{- if $ca.existingSecret }}
  secret: {secretName: {{ $ca.existingSecret }}, items: [{key: {{ $ca.key }}, path: ca.crt}]}
  {{- else if $ca.existingConfigMap }}
  configMap: {name: {{ $ca.existingConfigMap }}, items: [{key: {{ $ca.key }}, path: ca.crt}]}
  {{- else }}
  configMap: {name: {{ include "tarsy.fullname" $root }}-{{ $name }}}
  {{- end }}
{{- end }}
{{- end }}
{{- end -}}
