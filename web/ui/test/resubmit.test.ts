import { describe, expect, it } from 'vitest';
import { sessionPreset, maskedAt } from '../src/submit/resubmit';
import { readAlert } from '../src/submit/draft';
import { session } from './fixture';

describe('an alert that is submitted again', () => {
  const stored = { severity: 'critical', environment: 'production', timestamp: 7, namespace: 'payments' };
  const of = (alert_data: Record<string, unknown>, runbook_url: string | null = 'local:x') =>
    sessionPreset(session({ severity: 'critical', alert_timestamp_us: 7, alert_data, runbook_url })).body;

  it('is as it was sent, without what the API added', () => {
    expect(of(stored)).toEqual({
      alert_type: 'kubernetes',
      runbook: 'local:x',
      severity: 'critical',
      data: { namespace: 'payments' },
    });
  });
  it('keeps members of its own that have such a name', () => {
    expect(of({ severity: 'page', environment: 'staging', timestamp: '2026-11-20' }).data).toEqual({
      severity: 'page',
      environment: 'staging',
      timestamp: '2026-11-20',
    });
  });
  it('asks for a runbook where the alert named none, and for nothing else', () => {
    expect(readAlert(JSON.stringify(of(stored)), ['kubernetes']).mistakes).toEqual([]);
    expect(readAlert(JSON.stringify(of(stored, null)), ['kubernetes']).mistakes.map((one) => one.message)).toEqual([
      '`runbook` must not be empty',
    ]);
  });
});

it('says where masks stand, however deep', () => {
  const data = {
    token: '[MASKED_TOKEN]',
    hosts: ['a', 'b://u:[MASKED_URL_CREDENTIALS]@c'],
    labels: { key: '__MASKED_KEY__', note: '[MASKED_WITHHELD: too long]' },
    said: '[masked]',
    count: 3,
    none: null,
  };
  expect(maskedAt({ alert_type: 'x', data })).toEqual([
    'data.token',
    'data.hosts[1]',
    'data.labels.key',
    'data.labels.note',
  ]);
  expect(maskedAt(null)).toEqual([]);
});
