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

{{- define "tarsy.databaseEnv" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef: {name: {{ include "tarsy.databaseSecret" . }}, key: {{ .Values.database.urlKey }}}
{{- with .Values.database.directUrlKey }}
- name: DATABASE_DIRECT_URL
  valueFrom:
    secretKeyRef: {name: {{ include "tarsy.databaseSecret" $ }}, key: {{ . }}}
{{- end }}
{{- with .Values.database.replicaUrlKey }}
- name: HISTORY_DATABASE_URL
  valueFrom:
    secretKeyRef: {name: {{ include "tarsy.databaseSecret" $ }}, key: {{ . }}}
{{- end }}
{{- end -}}

{{- define "tarsy.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "tarsy.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: {drop: [ALL]}
{{- end -}}

{{/* A container that migrates, or waits for it: root, name, arguments. */}}
{{- define "tarsy.migrateContainer" -}}
name: {{ .name }}
image: {{ include "tarsy.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
args: {{ toJson .args }}
env:
  {{- include "tarsy.databaseEnv" .root | nindent 2 }}
securityContext:
  {{- include "tarsy.containerSecurity" .root | nindent 2 }}
resources:
  {{- toYaml .root.Values.migrations.resources | nindent 2 }}
{{- end -}}

{{/* ConfigMap with agents.yaml for a role: root and, for a pool, its config. */}}
{{- define "tarsy.configMap" -}}
{{- $own := .config | default dict -}}
{{- if $own.existingConfigMap -}}{{ $own.existingConfigMap }}
{{- else if $own.agents -}}{{ include "tarsy.fullname" .root }}-{{ .name }}
{{- else if .root.Values.config.existingConfigMap -}}{{ .root.Values.config.existingConfigMap }}
{{- else if .root.Values.config.agents -}}{{ include "tarsy.fullname" .root }}-config
{{- end -}}
{{- end -}}

{{/*
A Deployment. root, name (of the component), command (of the program), image, spec (values of the role), port (name, number),
env (a dict), grace (seconds), automount, config (of a pool), isScaled.
*/}}
{{- define "tarsy.deployment" -}}
{{- $root := .root -}}
{{- $spec := .spec -}}
{{- $configMap := include "tarsy.configMap" . -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "tarsy.fullname" $root }}-{{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "tarsy.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .name }}
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
    metadata:
      labels:
        {{- include "tarsy.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .name }}
        tarsy/role: {{ .command }}
      annotations:
        checksum/config: {{ printf "%s%s%s" (toJson (.config | default dict)) (toJson $root.Values.config) (toJson $root.Values.database.url) | sha256sum }}
        {{- with $spec.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "tarsy.fullname" $root }}-{{ .name }}
      automountServiceAccountToken: {{ .automount | default false }}
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ .grace }}
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- include "tarsy.podSecurity" $root | nindent 8 }}
      initContainers:
        - {{- include "tarsy.migrateContainer" (dict "root" $root "name" "wait-for-schema" "args" (list "migrate" "--wait" "--timeout" (printf "%ds" (int $root.Values.migrations.timeoutSeconds)))) | nindent 10 }}
      containers:
        - name: {{ .command }}
          image: {{ .image }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [{{ .command }}]
          ports:
            - {name: {{ .port.name }}, containerPort: {{ .port.number }}, protocol: TCP}
          env:
            {{- include "tarsy.databaseEnv" $root | nindent 12 }}
            {{- if $configMap }}
            - {name: AGENT_CONFIG_FILE, value: /etc/tarsy/config/agents.yaml}
            {{- end }}
            {{- if $root.Values.config.runbooks }}
            - {name: RUNBOOK_DIR, value: /etc/tarsy/local-runbooks}
            {{- end }}
            {{- range $name, $value := merge (deepCopy $spec.env) $root.Values.env .env }}
            - {name: {{ $name }}, value: {{ $value | quote }}}
            {{- end }}
          {{- with concat $root.Values.envFrom $spec.envFrom }}
          envFrom:
            {{- range . }}
            - secretRef: {name: {{ . }}}
            {{- end }}
          {{- end }}
          startupProbe:
            httpGet: {path: /livez, port: {{ .port.name }}}
            periodSeconds: 2
            failureThreshold: 30
          livenessProbe:
            httpGet: {path: /livez, port: {{ .port.name }}}
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: {path: /readyz, port: {{ .port.name }}}
            periodSeconds: 5
            timeoutSeconds: 3
            failureThreshold: 2
          {{- if and (.preStop | default 0 | int) (semverCompare ">=1.30.0-0" $root.Capabilities.KubeVersion.Version) }}
          lifecycle:
            preStop: {sleep: {seconds: {{ .preStop }}}}
          {{- end }}
          securityContext:
            {{- include "tarsy.containerSecurity" $root | nindent 12 }}
          resources:
            {{- toYaml $spec.resources | nindent 12 }}
          volumeMounts:
            - {name: tmp, mountPath: /tmp}
            {{- if $configMap }}
            - {name: config, mountPath: /etc/tarsy/config, readOnly: true}
            {{- end }}
            {{- if $root.Values.config.runbooks }}
            - {name: runbooks, mountPath: /etc/tarsy/local-runbooks, readOnly: true}
            {{- end }}
      volumes:
        - name: tmp
          emptyDir: {sizeLimit: 256Mi}
        {{- if $configMap }}
        - name: config
          configMap: {name: {{ $configMap }}}
        {{- end }}
        {{- if $root.Values.config.runbooks }}
        - name: runbooks
          configMap: {name: {{ include "tarsy.fullname" $root }}-runbooks}
        {{- end }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "tarsy.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ .name }}
      {{- with $spec.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $spec.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $spec.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end -}}

{{/* What every role has beside its Deployment: root, name, spec, automount. */}}
{{- define "tarsy.companions" -}}
{{- $root := .root -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "tarsy.fullname" $root }}-{{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "tarsy.labels" $root | nindent 4 }}
  {{- with .spec.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- if .spec.pdb.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "tarsy.fullname" $root }}-{{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "tarsy.labels" $root | nindent 4 }}
spec:
  maxUnavailable: {{ .spec.pdb.maxUnavailable }}
  selector:
    matchLabels:
      {{- include "tarsy.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .name }}
{{- end }}
{{- end -}}
