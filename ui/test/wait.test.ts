import { expect, it } from 'vitest';
import type { SessionWait } from '../src/api/types';
import { waitCause, waitRemedy, waitTone } from '../src/session/wait';

const wait = (more: Partial<SessionWait>): SessionWait => ({ reason: 'queued', queue: 'stage:gpu', since_us: 1, tries: 0, ...more });

it('tells a rate limit from a retry, each with what was said last', () => {
  expect(waitCause(wait({ reason: 'snoozed', tries: 2, provider: 'big', last_error: 'HTTP 429' }))).toBe('Provider big refused 2 times: HTTP 429');
  expect(waitCause(wait({ reason: 'retrying', tries: 1, max_tries: 4, last_error: 'connection reset' }))).toBe('Retry 1 of 3 follows: connection reset');
  expect(waitRemedy(wait({ reason: 'snoozed', provider: 'big' }))).toContain('account of big');
});

it('names the pool that nobody works and the worker that is silent', () => {
  expect(waitCause(wait({ reason: 'no_worker' }))).toBe('No worker of pool gpu can run this stage');
  expect(waitCause(wait({ reason: 'no_worker', queue: 'chain' }))).toBe('No chain worker is running');
  expect(waitCause(wait({ reason: 'worker_not_answering', worker: 'h:7' }))).toBe('Worker h:7 is not answering');
  expect(waitTone(wait({ reason: 'worker_not_answering' }))).toEqual({ tone: 'bad', label: 'not answering' });
});
