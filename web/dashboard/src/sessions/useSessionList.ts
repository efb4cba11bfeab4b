import {
  countSessions,
  DASHBOARD_CHANNEL,
  listSessions,
  refetcher,
  useLive,
  usePollMs,
  type Query,
  type SessionLine,
  type SessionList,
} from '@tarsy/ui';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { mergeSlice, headSlice, mergeFrozen, mergeHead, type ListSlice } from './mergePages';
import type { Total } from './total';
import { useFarPage } from './useFarPage';

/** Refetch interval of a search, in milliseconds, because updates of the text index send no event. */
const SEARCH_MS = 4000;
/** Refetch interval of a total beyond 10,000, milliseconds. */
const COUNT_MS = 5000;
const NONE: SessionList[] = [];

export interface SessionListState {
  rows: SessionLine[];
  /** Number of new sessions that are held back. */
  waiting: number;
  /** Whether there are more than `waiting`, because the newest page is full. */
  waitingMore: boolean;
  total: Total | null;
  error: unknown;
  loading: boolean;
  /** Whether rows of the previous query are shown, until this query has results. */
  stale: boolean;
  /** Fetches the next page, if there is one. */
  more: () => void;
  hasMore: boolean;
  /** Time back to which the search has looked; `more` continues it. Null: the search is complete. */
  searchedToUs: number | null;
  /** Shows the sessions that are held back. */
  release: () => void;
  retry: () => void;
}

type Pages = InfiniteData<SessionList, string | null>;

/** Maximum number of pages that events refetch in a list not sorted by start. A longer list waits for a page reload. */
const MOST_SORTED = 3;

/** Returns the rows of all pages. If not sorted by start, a row may have moved to a page that was read later. */
function rowsOf(pages: readonly SessionList[], byStart: boolean): SessionLine[] {
  const rows = pages.flatMap((page) => page.sessions);
  return byStart ? rows : [...new Map(rows.map((row) => [row.session_id, row])).values()];
}

/**
 * Session list by keyset pages. It is kept live by refetching the newest page and the rows that events name. If it is
 * not sorted by start, all its pages are refetched.
 */
export function useSessionList(query: Query, hold: boolean): SessionListState {
  const queries = useQueryClient();
  const pageKey = useMemo(() => ['sessions', 'pages', query], [query]);
  const headKey = useMemo(() => ['sessions', 'head', query], [query]);
  const byStart = query.sort_by == null;
  const unheard = usePollMs(4000);
  const pages = useInfiniteQuery({
    queryKey: pageKey,
    queryFn: async ({ pageParam, signal }) => {
      const page = await listSessions({ ...query, cursor: pageParam }, signal);
      // The first page is also the initial value of the newest page, so that it is requested only once.
      if (pageParam === null) queries.setQueryData(headKey, page);
      return page;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.pagination.next_cursor ?? null,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      byStart || hold || (state.data?.pages.length ?? 0) > MOST_SORTED ? false : unheard,
  });
  const every = query.search == null ? unheard : Math.min(unheard, SEARCH_MS);
  const {
    data: head,
    error: headError,
    refetch: readHead,
  } = useQuery({
    queryKey: headKey,
    queryFn: async ({ signal }) => listSessions(query, signal),
    refetchInterval: every,
    enabled: pages.isSuccess && byStart,
  });
  const loaded = pages.data?.pages ?? NONE;
  const stale = pages.isPlaceholderData;
  const now = useMemo(() => {
    if (head === undefined || stale) return { pages: loaded, waiting: 0 };
    if (hold) return mergeFrozen(loaded, headSlice(head));
    return { pages: mergeHead(head, loaded), waiting: 0 };
  }, [loaded, head, stale, hold]);

  const write = useCallback(
    (change: (before: SessionList[]) => SessionList[]) => {
      const data = queries.getQueryData<Pages>(pageKey);
      if (data === undefined) return;
      const next = change(data.pages);
      if (next !== data.pages)
        queries.setQueryData<Pages>(pageKey, { pages: next, pageParams: data.pageParams.slice(0, next.length) });
    },
    [queries, pageKey],
  );
  // While new rows were held back, rows far below the newest page may have ceased to match. Then scrolling loads those
  // pages again.
  const missed = useRef(false);
  const show = useCallback(
    (newest: SessionList) => {
      write((before) => (missed.current ? [newest] : mergeHead(newest, before)));
      missed.current = false;
    },
    [write],
  );
  useEffect(() => {
    if (!hold && !stale && head !== undefined) show(head);
  }, [hold, stale, head, loaded, show]);

  const holds = useRef(hold);
  useEffect(() => {
    holds.current = hold;
  }, [hold]);
  const readFar = useFarPage(
    query,
    useCallback(
      (part: ListSlice) => {
        // A page that is being fetched is appended to the pages as they were at its request, so nothing is merged now.
        if (queries.isFetching({ queryKey: pageKey }) > 0) return false;
        write((before) => {
          if (!holds.current) return mergeSlice(before, part);
          const kept = mergeFrozen(before, part);
          missed.current ||= kept.missed;
          return kept.pages;
        });
        return true;
      },
      [queries, pageKey, write],
    ),
  );
  useEffect(() => {
    if (byStart && !pages.isFetching) readFar([]);
  }, [byStart, pages.isFetching, readFar]);
  const named = useRef(new Set<string>());
  const refetchHead = useMemo(() => refetcher(queries, headKey), [queries, headKey]);
  const refetchPages = useMemo(() => refetcher(queries, pageKey), [queries, pageKey]);
  useLive(
    DASHBOARD_CHANNEL,
    (events) => {
      if (!byStart) {
        if (!hold && (queries.getQueryData<Pages>(pageKey)?.pages.length ?? 0) <= MOST_SORTED) void refetchPages();
        return;
      }
      for (const { sessionId } of events) if (sessionId !== undefined) named.current.add(sessionId);
      void refetchHead().then(() => {
        const state = queries.getQueryState<SessionList>(headKey);
        // If it was refetched meanwhile or failed, the next response decides which of these rows it contains.
        if (state?.data === undefined || state.isInvalidated || state.fetchStatus !== 'idle') return;
        const near = new Set(state.data.sessions.map((row) => row.session_id));
        const far = queries
          .getQueryData<Pages>(pageKey)
          ?.pages.flatMap(({ sessions }) =>
            sessions.filter(({ session_id: id }) => named.current.has(id) && !near.has(id)),
          );
        named.current.clear();
        readFar(far ?? []);
      });
    },
    byStart ? 700 : 3000,
  );

  const pagination = head?.pagination ?? pages.data?.pages[0]?.pagination;
  // Large totals are counted by a separate request, so that the page does not wait for it.
  const isMore = pagination?.total_is_exact === false && query.search == null && !stale;
  const counted = useQuery({
    queryKey: ['sessions', 'count', query],
    queryFn: async ({ signal }) => countSessions(query, signal),
    refetchInterval: COUNT_MS,
    enabled: isMore,
  });
  const totals = isMore && counted.data?.total_is_exact === true ? counted.data : pagination;
  return {
    rows: useMemo(() => rowsOf(now.pages, byStart), [now.pages, byStart]),
    waiting: now.waiting,
    waitingMore:
      now.waiting > 0 &&
      head !== undefined &&
      now.waiting === head.sessions.length &&
      head.pagination.next_cursor != null,
    total:
      totals === undefined
        ? null
        : { number: totals.total_items, exact: totals.total_is_exact, atLeast: totals.total_at_least },
    error: pages.error ?? headError,
    loading: pages.isPending,
    stale,
    more: () => {
      if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
    },
    hasMore: pages.hasNextPage,
    searchedToUs: pages.data?.pages.at(-1)?.pagination.searched_to_us ?? null,
    release: () => {
      if (head !== undefined) show(head);
    },
    retry: () => {
      void pages.refetch();
      void readHead();
    },
  };
}
