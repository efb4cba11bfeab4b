import { expect, it } from 'vitest';
import type { SessionWait, Wait } from '../src/api/types';
import { codeParts } from '../src/session/evidence';
import { isStageWait, openWaits, waitCause, waitOutcome, waitRemedy, waitTone } from '../src/session/wait';
import { session } from './fixture';

const wait = (more: Partial<SessionWait>): SessionWait => ({
  reason: 'queued',
  queue: 'stage:gpu',
  since_us: 1,
  tries: 0,
  ...more,
});

const snoozed = (error_class: string | null): SessionWait =>
  wait({ reason: 'snoozed', tries: 2, provider: 'big', last_error: 'HTTP 529', error_class });

it('tells a rate limit from a retry, each with what was said last', () => {
  expect(waitCause(snoozed('rate_limited'))).toBe('Provider big limits the rate of calls, 2 tries: HTTP 529');
  expect(waitCause(wait({ reason: 'retrying', tries: 1, max_tries: 4, last_error: 'connection reset' }))).toBe(
    'Retry 1 of 3 follows: connection reset',
  );
});

it('names the class of a provider’s refusal, and advises only what helps against it', () => {
  const of = (kind: string | null): [label: string, help: string] => [
    waitTone(snoozed(kind)).label,
    waitRemedy(snoozed(kind)),
  ];
  expect(waitCause(snoozed('overloaded'))).toBe('Provider big is overloaded, 2 tries: HTTP 529');
  expect(of('rate_limited')).toEqual(['rate limited', expect.stringContaining('account')]);
  expect(of('overloaded')).toEqual(['provider overloaded', expect.stringMatching(/Nothing to do.*fallback provider/)]);
  for (const outage of ['server_error', 'connection']) expect(of(outage)[0]).toBe('provider failing');
  expect(of('auth')).toEqual(['key refused', expect.stringContaining('replace the key')]);
  expect(of(null)[0]).toBe('provider busy');
  for (const kind of ['rate_limited', 'overloaded', 'server_error', 'connection', null])
    expect(of(kind)[1]).not.toContain('key');
  for (const kind of ['overloaded', 'server_error', null]) expect(of(kind)[1]).not.toContain('account');
});

it('names the pool that nobody works and the worker that is silent', () => {
  expect(waitCause(wait({ reason: 'no_worker' }))).toBe('No worker of pool gpu can run this stage');
  expect(waitCause(wait({ reason: 'no_worker', queue: 'chain' }))).toBe('No chain worker is running');
  expect(waitCause(wait({ reason: 'worker_not_answering', worker: 'h:7' }))).toBe('Worker h:7 is not answering');
  expect(waitTone(wait({ reason: 'worker_not_answering' }))).toEqual({ tone: 'bad', label: 'not answering' });
});

it('says of an alert that is held that nothing is investigated yet', () => {
  const held = wait({ reason: 'approval', stage_name: 'hold', queue: null });
  expect(waitTone(held)).toEqual({ tone: 'rest', label: 'held' });
  expect(waitCause(held)).toBe('Held until someone starts it');
});

it('says of a stage that waits what for, and who could act', () => {
  const asked = wait({ reason: 'approval', stage_name: 'gate', queue: null });
  expect(waitTone(asked)).toEqual({ tone: 'warn', label: 'needs approval' });
  expect(waitCause(asked)).toBe('Waits for approval at stage gate');
  expect(waitRemedy(asked)).toContain('operator');
  expect(isStageWait(asked)).toBe(true);
  expect(isStageWait(wait({ reason: 'queued' }))).toBe(false);
});

const asked = (more: Partial<Wait>): Wait => ({
  wait_id: 'w',
  session_id: 's1',
  execution_id: 'e1',
  stage_index: 0,
  stage_name: 'gate',
  chain_id: 'c',
  alert_type: 'a',
  severity: 'warning',
  sort: 'approval',
  question: 'Go on?',
  role: 'operator',
  status: 'open',
  asked_at_us: 0,
  expires_at_us: 1,
  ...more,
});

it('tells who decided and why, and that nobody did', () => {
  expect(waitOutcome(asked({}))).toBeNull();
  expect(waitOutcome(asked({ status: 'denied', decided_by: 'kim', reason: 'freeze' }))).toBe('Denied by kim: freeze');
  expect(waitOutcome(asked({ status: 'expired' }))).toBe('No decision came in time');
  expect(waitOutcome(asked({ status: 'expired', sort: 'signal' }))).toBe('The signal did not come in time');
  expect(
    openWaits(session({ waits: [asked({ status: 'approved' }), asked({ wait_id: 'open' })] })).map(
      ({ wait_id: id }) => id,
    ),
  ).toEqual(['open']);
});

it('finds names in backticks', () => {
  expect(codeParts('Agent `A` asks')).toEqual([
    { text: 'Agent ', code: false },
    { text: 'A', code: true },
    { text: ' asks', code: false },
  ]);
  expect(codeParts('a ` alone')).toEqual([{ text: 'a ` alone', code: false }]);
});
