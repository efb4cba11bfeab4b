/** Refetches a query after events, however fast they arrive. */
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { markOutdated } from './freshness';
import { serial } from './serial';

/**
 * Returns a function that refetches a query at once, or right after the fetch in progress. It does not cancel that
 * fetch, because no response would ever arrive if events came faster than responses.
 */
export function refetcher(queries: QueryClient, queryKey: QueryKey): () => Promise<void> {
  const refetch = serial(async () => {
    // A fetch that began before the event may have missed it.
    const isEarly = queries.isFetching({ queryKey, exact: true }) > 0;
    await queries.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
    if (isEarly) await queries.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
  });
  return async () => {
    markOutdated(queries, queryKey);
    await refetch();
  };
}
