import type { AuditEntry } from '@tarsy/ui';
import { expect, it } from 'vitest';
import {
  NO_FILTERS,
  hasFilters,
  readAuditFilters,
  distinctValues,
  subjectOf,
  writeAuditFilters,
} from '../src/fleet/audit';

const ID = '019a9e1c-0000-7000-8000-0123456789ab';
const entry = (subject_kind: string, subject: string, over: Partial<AuditEntry> = {}): AuditEntry => ({
  entry_id: 1,
  at_us: 1,
  actor: 'ops',
  role: 'operator',
  action: 'session.cancel',
  reason: 'why',
  details: {},
  subject_kind,
  subject,
  ...over,
});

it('what is asked for stands in the address, without spaces around it, and beside what stands there', () => {
  const params = writeAuditFilters(new URLSearchParams('other=1&action=queue.pause'), {
    actor: ' ops ',
    action: '',
    subject: 'stage:default',
  });
  expect(params.toString()).toBe('other=1&actor=ops&subject=stage%3Adefault');
  expect(readAuditFilters(params)).toEqual({ actor: 'ops', action: '', subject: 'stage:default' });
  expect(readAuditFilters(writeAuditFilters(params, NO_FILTERS))).toEqual(NO_FILTERS);
  expect([hasFilters(NO_FILTERS), hasFilters(readAuditFilters(params))]).toEqual([false, true]);
});

it('a session is linked to, an id is shortened, a name is not', () => {
  expect(subjectOf(entry('session', ID))).toEqual({ label: 'session 6789ab', to: `/sessions/${ID}` });
  expect(subjectOf(entry('delivery', ID))).toEqual({ label: 'delivery 0123456789ab', to: null });
  expect(subjectOf(entry('queue', 'stage:default')).label).toBe('queue stage:default');
  expect(subjectOf(entry('history', 'overdue')).label).toBe('history overdue');
});

it('each word is offered once', () => {
  expect(distinctValues([entry('session', 'b'), entry('session', 'a'), entry('session', 'b')], 'subject')).toEqual([
    'a',
    'b',
  ]);
});
