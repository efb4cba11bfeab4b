/** Delay between received events and the shown data. */
import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query';

/** By query hash: arrival of the oldest event since its last fetch, in milliseconds. */
const outdatedSince = new Map<string, number>();

const isFresh = (queries: QueryClient, hash: string, since: number): boolean => {
  const query = queries.getQueryCache().get(hash);
  // Inactive queries are fetched when they are shown.
  return query?.isActive() !== true || query.state.dataUpdatedAt >= since;
};

/** Records that an event made a query's data out of date. */
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
