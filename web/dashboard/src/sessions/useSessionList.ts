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

/** Refetch interval of a search, milliseconds: the text index follows without an event. */
const SEARCH_MS = 4000;
/** Refetch interval of a total beyond 10,000, milliseconds. */
const COUNT_MS = 5000;
const NONE: SessionList[] = [];

export interface SessionListState {
  rows: SessionLine[];
  /** New sessions that are held back. */
  waiting: number;
  /** There are more than `waiting`: the newest page is full. */
  waitingMore: boolean;
  total: Total | null;
  error: unknown;
  loading: boolean;
  /** Rows of the previous query are shown until this one is answered. */
  stale: boolean;
  /** Fetches the next page, if there is one. */
  more: () => void;
  hasMore: boolean;
  /** How far back the search has looked, continued by `more`; null: it is complete. */
  searchedToUs: number | null;
  /** Show what waits. */
  release: () => void;
  retry: () => void;
}

type Pages = InfiniteData<SessionList, string | null>;

/** Pages of a list in another order that are read again with events; a longer one is read again when the page is. */
const MOST_SORTED = 3;

/** The rows of all pages. In another order than by start one may have moved to a page that was read later. */
function rowsOf(pages: readonly SessionList[], byStart: boolean): SessionLine[] {
  const rows = pages.flatMap((page) => page.sessions);
  return byStart ? rows : [...new Map(rows.map((row) => [row.session_id, row])).values()];
}

/** Session list: keyset pages, kept live by refetching the newest page and the rows that events name; in another order than the newest first, by refetching its pages. */
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
      // Asked for once: what comes with the list opens its newest page too.
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
  // While the list was held rows may have ceased to match, far below the newest page: they are loaded again as somebody scrolls.
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
        // A page that is being fetched is put behind the others as they were when it was asked for.
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
        // Asked anew meanwhile, or not answered: the next answer tells which of them it has.
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
  // Many are counted apart: the page doesn't wait for it.
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
