import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { refetcher } from '../src/live/refetcher';

it('events that come faster than answers let each answer through, and the last is not missed', async () => {
  const queries = new QueryClient();
  const queryKey = ['slow'];
  let asked = 0;
  let answer: (() => void) | undefined;
  const read = refetcher(queries, queryKey);
  const queryFn = async ({ signal }: { signal: AbortSignal }): Promise<number> => {
    asked += 1;
    const at = asked;
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    expect(signal.aborted, 'it was cut short').toBe(false);
    return at;
  };
  const off = new QueryObserver(queries, { queryKey, queryFn }).subscribe(() => undefined);
  const settle = async (): Promise<void> => {
    answer?.();
    await new Promise((resolve) => {
      setTimeout(resolve, 0);
    });
  };
  await settle();
  expect(queries.getQueryData(queryKey)).toBe(1);
  const all = [read(), read(), read()];
  await settle();
  expect(queries.getQueryData(queryKey)).toBe(2);
  await settle();
  await Promise.all(all);
  expect([asked, queries.getQueryData(queryKey)]).toEqual([3, 3]);
  off();
});
