import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { connectionStatus } from '../src/live/connectionStatus';
import { lagMs, markOutdated } from '../src/live/freshness';
import { initial, reduce } from '../src/live/state';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('lags from the first event until what it changed has been read', async () => {
  const queries = new QueryClient();
  const queryKey = ['list'];
  let answers = true;
  const queryFn = async (): Promise<number> => (answers ? 1 : new Promise<number>(() => undefined));
  const off = new QueryObserver(queries, { queryKey, queryFn }).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(10);
  expect(lagMs(queries, Date.now())).toBe(0);

  answers = false;
  markOutdated(queries, queryKey);
  void queries.refetchQueries({ queryKey });
  await vi.advanceTimersByTimeAsync(7000);
  markOutdated(queries, queryKey);
  expect(lagMs(queries, Date.now())).toBe(7000);

  queries.setQueryData(queryKey, 2);
  expect(lagMs(queries, Date.now())).toBe(0);
  // A query without an observer does not count.
  markOutdated(queries, queryKey);
  await vi.advanceTimersByTimeAsync(7000);
  off();
  expect(lagMs(queries, Date.now())).toBe(0);
});

it('never says live while what is shown is behind', () => {
  const clock = (ms: number): string => String(ms / 1000);
  const live = reduce(initial, { type: 'opened', at: 1000 });
  expect(connectionStatus(live, 2000, 0, clock)).toMatchObject({ kind: 'live', tone: 'good' });
  expect(connectionStatus(live, 2000, 4000, clock).kind).toBe('live');
  expect(connectionStatus(live, 9000, 7000, clock)).toMatchObject({ label: 'delayed 7 s', tone: 'warn' });
  expect(connectionStatus(live, 70_000, 0, clock)).toMatchObject({
    label: 'as of 1',
    tone: 'warn',
    hint: 'No data for 69 s. This page may be out of date.',
  });
});
