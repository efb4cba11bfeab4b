/** Example payloads: an alert, and those of monitoring systems. */

export interface Preset {
  id: string;
  label: string;
  /** Webhook source; null: `/alerts`. */
  source: string | null;
  hint: string;
  body: Record<string, unknown>;
}

const runbook = 'local:namespace-terminating';
const summary = 'Namespace team-payments-staging has been Terminating for 47 hours';

/** Preset of an alert for `POST /alerts`. */
export function ownAlert(alertType: string): Preset {
  return {
    id: 'alert',
    label: 'Alert (POST /alerts)',
    source: null,
    hint: 'The API defines these fields. Everything else is stored as data.',
    body: {
      alert_type: alertType,
      runbook,
      severity: 'warning',
      data: {
        namespace: 'team-payments-staging',
        cluster: 'demo',
        environment: 'staging',
        message: summary,
        labels: { alertname: 'NamespaceStuckTerminating', team: 'payments' },
        deletion_timestamp: '2026-11-18T16:42:31Z',
      },
    },
  };
}

const vendor = (id: string, label: string, hint: string, body: Record<string, unknown>): Preset => ({
  id,
  label,
  source: id,
  hint,
  body,
});

export const VENDORS: readonly Preset[] = [
  vendor('alertmanager', 'Prometheus Alertmanager', 'Webhook version 4. Each firing alert starts a session.', {
    version: '4',
    groupKey: '{}:{alertname="KubeNamespaceTerminating"}',
    truncatedAlerts: 0,
    status: 'firing',
    receiver: 'tarsy',
    groupLabels: { alertname: 'KubeNamespaceTerminating' },
    commonLabels: { alertname: 'KubeNamespaceTerminating', severity: 'warning' },
    commonAnnotations: {},
    externalURL: 'http://alertmanager.example:9093',
    alerts: [
      {
        status: 'firing',
        labels: { alertname: 'KubeNamespaceTerminating', namespace: 'team-payments-staging', severity: 'warning' },
        annotations: { summary, runbook_url: 'https://github.com/example/runbooks/blob/main/namespace-terminating.md' },
        startsAt: '2026-11-20T15:51:02Z',
        endsAt: '0001-01-01T00:00:00Z',
        generatorURL: 'http://prometheus.example:9090/graph',
        fingerprint: '0f3b1c9d5e7a2468',
      },
    ],
  }),
  vendor('grafana', 'Grafana Alerting', 'Unified alerting webhook. Values and images are stored as data.', {
    receiver: 'tarsy',
    status: 'firing',
    orgId: 1,
    version: '1',
    title: '[FIRING:1] Pod restarts',
    state: 'alerting',
    message: 'Pod ledger-api restarts',
    groupKey: '{}:{alertname="PodRestarts"}',
    truncatedAlerts: 0,
    groupLabels: { alertname: 'PodRestarts' },
    commonLabels: { alertname: 'PodRestarts' },
    commonAnnotations: {},
    externalURL: 'https://grafana.example/',
    alerts: [
      {
        status: 'firing',
        labels: { alertname: 'PodRestarts', namespace: 'payments', severity: 'critical' },
        annotations: { summary: 'ledger-api restarted 7 times in 10 minutes' },
        startsAt: '2026-11-20T15:51:02+01:00',
        endsAt: '0001-01-01T00:00:00Z',
        values: { A: 7 },
        fingerprint: 'c6eadffa33fcdf37',
        generatorURL: 'https://grafana.example/alerting/1',
      },
    ],
  }),
  vendor('pagerduty', 'PagerDuty', 'V3 webhook for a triggered incident. Signed in production.', {
    event: {
      id: '01EXAMPLEEVENT',
      event_type: 'incident.triggered',
      resource_type: 'incident',
      occurred_at: '2026-11-20T15:51:02.000Z',
      client: null,
      data: {
        id: 'PEXAMPLE',
        type: 'incident',
        number: 42,
        status: 'triggered',
        title: summary,
        urgency: 'high',
        service: { id: 'PSERVICE', summary: 'payments' },
        priority: { summary: 'P2' },
      },
    },
  }),
  vendor('datadog', 'Datadog', 'Template of the webhook integration. All values are strings.', {
    id: '7210001',
    event_title: '[Triggered] High error rate on payments',
    body: 'The error rate is above 5 %',
    alert_transition: 'Triggered',
    alert_type: 'error',
    date: '1795189862000',
    last_updated: '1795189862000',
    aggreg_key: 'abc123',
    tags: 'service:payments,env:staging',
    priority: 'P2',
    hostname: 'node-4',
  }),
  vendor('sns', 'AWS CloudWatch (SNS)', 'Alarm in an SNS notification. The signature is verified in production.', {
    Type: 'Notification',
    MessageId: '7a2b9e8c-0000-4000-8000-000000000001',
    TopicArn: 'arn:aws:sns:eu-west-1:000000000000:alarms',
    Subject: 'ALARM: "payments-5xx"',
    Message: JSON.stringify({
      AlarmName: 'payments-5xx',
      NewStateValue: 'ALARM',
      OldStateValue: 'OK',
      NewStateReason: 'Threshold crossed',
      StateChangeTime: '2026-11-20T15:51:02.000+0000',
      Region: 'EU (Ireland)',
    }),
    Timestamp: '2026-11-20T15:51:03.000Z',
    SignatureVersion: '2',
  }),
  vendor('sentry', 'Sentry', 'An issue alert. Signed in production.', {
    action: 'triggered',
    actor: { type: 'application', name: 'Sentry' },
    data: {
      event: {
        event_id: 'e4874d664c3540c1a32eab185f12c5ab',
        issue_id: '1170820242',
        title: 'TimeoutError: ledger upload',
        level: 'error',
        platform: 'python',
        web_url: 'https://sentry.example/issues/1',
      },
      triggered_rule: 'Errors in payments',
    },
  }),
  vendor('opsgenie', 'Opsgenie', 'A created alert.', {
    action: 'Create',
    integrationName: 'tarsy',
    alert: {
      alertId: 'a1b2-example',
      message: summary,
      alias: 'ns-terminating',
      priority: 'P3',
      createdAt: 1795189862000,
      updatedAt: 1795189862000000000,
      tags: ['kubernetes'],
      details: { namespace: 'team-payments-staging' },
    },
  }),
  vendor('cloudevents', 'CloudEvents', 'One event in structured mode.', {
    specversion: '1.0',
    type: 'com.example.alert.firing',
    source: 'https://monitor.example/checks/1',
    id: 'A234-1234-1234',
    time: '2026-11-20T15:51:02Z',
    datacontenttype: 'application/json',
    data: { alertname: 'NamespaceStuckTerminating', severity: 'warning', namespace: 'team-payments-staging' },
  }),
];
