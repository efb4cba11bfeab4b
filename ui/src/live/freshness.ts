/** How far what is shown lags behind the events that were received. */
import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query';

/** By the hash of a query, when the oldest event arrived that it has not been read since; milliseconds. */
const outdatedSince = new Map<string, number>();

const isFresh = (queries: QueryClient, hash: string, since: number): boolean => {
  const query = queries.getQueryCache().get(hash);
  // What nobody looks at is read when somebody does.
  return query?.isActive() !== true || query.state.dataUpdatedAt >= since;
};

/** Notes that an event outdated a query. */
export function markOutdated(queries: QueryClient, queryKey: QueryKey): void {
  const hash = hashKey(queryKey);
  const since = outdatedSince.get(hash);
  if (since === undefined || isFresh(queries, hash, since)) outdatedSince.set(hash, Date.now());
}

/** Milliseconds since the oldest event that is not shown yet; 0: everything is fresh. */
export function lagMs(queries: QueryClient, nowMs: number): number {
  let lag = 0;
  for (const [hash, since] of outdatedSince) {
    if (isFresh(queries, hash, since)) outdatedSince.delete(hash);
    else lag = Math.max(lag, nowMs - since);
  }
  return lag;
}
