import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLive } from './LiveProvider';
import { refetcher } from './refetcher';

/**
 * Refetches a query after events of a channel, at most once per `everyMs`. Returns a function that refetches it now.
 *
 * @param queryKey must be the same object in every render
 */
export function useRefetchOn(channel: string | null, queryKey: QueryKey, everyMs: number): () => Promise<void> {
  const queries = useQueryClient();
  const refetch = useMemo(() => refetcher(queries, queryKey), [queries, queryKey]);
  useLive(channel, () => void refetch(), everyMs);
  return refetch;
}
