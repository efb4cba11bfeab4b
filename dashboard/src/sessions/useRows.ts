import { DASHBOARD, listSessions, useLive, usePollMs, type Query, type SessionLine, type SessionList } from '@tarsy/ui';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { merge } from './merge';

const PAGE = 100;

export interface Rows {
  rows: SessionLine[];
  waiting: number;
  total: { number: number; exact: boolean } | null;
  error: unknown;
  loading: boolean;
  /** What is shown is of another query, until this one's answer comes. */
  stale: boolean;
  /** Ask for the next page; does nothing at the end. */
  more: () => void;
  hasMore: boolean;
  /** A search came so far and goes on with `more`; null: what is shown is all there is up to here. */
  searchedToUs: number | null;
  /** Show what waits. */
  release: () => void;
  retry: () => void;
}

/** How far back the newest page tells all. */
function reach(head: SessionList | undefined): number {
  if (head === undefined) return Infinity;
  return head.pagination.next_cursor == null ? -Infinity : head.sessions.at(-1)?.started_at_us ?? Infinity;
}

/** The list by keyset pages, its first page kept live. */
export function useRows(query: Query, hold: boolean): Rows {
  const queries = useQueryClient();
  const [accepted, setAccepted] = useState<ReadonlySet<string>>(new Set());
  const pageKey = useMemo(() => ['sessions', 'pages', query], [query]);
  const headKey = useMemo(() => ['sessions', 'head', query], [query]);
  const pages = useInfiniteQuery({
    queryKey: pageKey,
    queryFn: async ({ pageParam, signal }) => listSessions({ ...query, page_size: PAGE, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.pagination.next_cursor ?? null,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  });
  const every = usePollMs(4000);
  const head = useQuery({
    queryKey: headKey,
    queryFn: async ({ signal }) => listSessions({ ...query, page_size: PAGE }, signal),
    refetchInterval: every,
    enabled: pages.isSuccess,
  });
  const loaded = useMemo(() => pages.data?.pages.flatMap((page) => page.sessions) ?? [], [pages.data]);
  const newest = useMemo(() => head.data?.sessions ?? [], [head.data]);
  const merged = useMemo(() => merge(loaded, { rows: newest, toUs: reach(head.data) }, accepted, hold), [loaded, newest, head.data, accepted, hold]);

  useLive(DASHBOARD, (event) => {
    void queries.invalidateQueries({ queryKey: headKey });
    // A row far down is not on the newest page: read the pages again, in place.
    const id = event.sessionId;
    if (id !== undefined && loaded.some((row) => row.session_id === id) && !newest.some((row) => row.session_id === id)) {
      void queries.invalidateQueries({ queryKey: pageKey });
    }
  }, 700);

  if (!hold && merged.accepted.size !== accepted.size) setAccepted(merged.accepted);
  const pagination = head.data?.pagination ?? pages.data?.pages[0]?.pagination;
  return {
    rows: merged.rows,
    waiting: merged.waiting,
    total: pagination === undefined ? null : { number: pagination.total_items, exact: pagination.total_is_exact },
    error: pages.error ?? head.error,
    loading: pages.isPending,
    stale: pages.isPlaceholderData,
    more: () => { if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage(); },
    hasMore: pages.hasNextPage,
    searchedToUs: pages.data?.pages.at(-1)?.pagination.searched_to_us ?? null,
    release: () => { setAccepted(new Set(newest.map((row) => row.session_id))); },
    retry: () => { void pages.refetch(); void head.refetch(); },
  };
}
