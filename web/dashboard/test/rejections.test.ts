import type { Rejection } from '@tarsy/ui';
import { describe, expect, it } from 'vitest';
import { resubmitWarning, fingerprints, resubmitBlocker } from '../src/fleet/rejections';

const rejection = (over: Partial<Rejection> = {}): Rejection => ({
  rejection_id: 'r',
  received_at_us: 1,
  source: 'alertmanager',
  is_proven: true,
  path: '/webhooks/alertmanager',
  code: 'unknown_alert_type',
  status: 422,
  detail: 'no chain answers it',
  alerts: [],
  is_whole: true,
  body_bytes: 10,
  ...over,
});
const alert = (fingerprint: string) => ({ fingerprint, code: 'unknown_alert_type', detail: '' });

describe('a rejected alert', () => {
  it('names its alerts, a few of many', () => {
    expect(fingerprints(rejection())).toBe('');
    expect(fingerprints(rejection({ alerts: ['a', '', 'b'].map(alert) }))).toBe('a, b');
    expect(fingerprints(rejection({ alerts: ['a', 'b', 'c', 'd', 'e'].map(alert) }))).toBe('a, b, c and 2 more');
  });
  it('says why it can not be submitted as it was', () => {
    expect(resubmitBlocker(rejection())).toBeNull();
    expect(resubmitBlocker(rejection({ is_whole: false }))).toContain('masked or truncated');
    expect(resubmitBlocker(rejection({ is_whole: false, body_bytes: null }))).toContain('not read');
  });
  it('warns of strangers and of doing it twice', () => {
    expect(resubmitWarning(rejection())).toBeNull();
    expect(resubmitWarning(rejection({ is_proven: false }))).toContain('not authenticated');
    expect(resubmitWarning(rejection({ submitted_at_us: 5, submitted_by: 'ada' }))).toBe('Already resubmitted by ada.');
  });
});
