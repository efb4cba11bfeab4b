import { afterEach, expect, it, vi } from 'vitest';
import { listSessions, prefetchSessions } from '../src';

afterEach(() => {
  vi.unstubAllGlobals();
});

const answer = (status = 200): Response =>
  new Response('{"sessions":[]}', { status, headers: { 'content-type': 'application/json' } });

it('asks once for the list that the entry has asked for already', async () => {
  const fetched = vi.fn(async () => Promise.resolve(answer()));
  vi.stubGlobal('fetch', fetched);
  prefetchSessions();
  // As the page asks: its filters are there, and empty.
  await listSessions({ status: [], search: null, start_date_us: null, cursor: null });
  expect(fetched).toHaveBeenCalledTimes(1);
  await listSessions({ status: ['failed'] });
  expect(fetched).toHaveBeenCalledTimes(2);
});

it('asks again after a refusal: somebody has signed in since', async () => {
  const fetched = vi.fn(async () => Promise.resolve(answer(fetched.mock.calls.length === 1 ? 401 : 200)));
  vi.stubGlobal('fetch', fetched);
  prefetchSessions();
  expect(await listSessions({})).toEqual({ sessions: [] });
  expect(fetched).toHaveBeenCalledTimes(2);
});
