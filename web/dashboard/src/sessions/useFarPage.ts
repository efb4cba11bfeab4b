/** Refreshes rows beyond the newest page. */
import { listSessions, type Query, type SessionLine } from '@tarsy/ui';
import { useCallback, useRef } from 'react';
import type { ListSlice } from './mergePages';

/** Reads all sessions between the oldest and the newest of these rows. */
async function between(rows: readonly SessionLine[], query: Query): Promise<ListSlice> {
  const starts = rows.map((row) => row.started_at_us);
  const from = Math.min(...starts);
  const to = Math.max(...starts);
  const found: SessionLine[] = [];
  let cursor: string | null = null;
  do {
    const { sessions, pagination } = await listSessions({ ...query, start_date_us: from, end_date_us: to + 1, cursor });
    found.push(...sessions);
    cursor = pagination.next_cursor ?? null;
  } while (cursor !== null);
  return { rows: found, afterUs: from - 1, toUs: to };
}

/**
 * Returns a function that refetches given rows, one request at a time, and passes them to `onRead`. Rows that could not
 * be read, or for which `onRead` returned false, are refetched together with the rows of the next call.
 */
export function useFarPage(query: Query, onRead: (part: ListSlice) => boolean): (rows: readonly SessionLine[]) => void {
  const named = useRef({ query, rows: new Map<string, SessionLine>(), isReading: false });
  return useCallback(
    (rows) => {
      if (named.current.query !== query) named.current = { query, rows: new Map(), isReading: false };
      const mine = named.current;
      const add = (more: readonly SessionLine[]): void => {
        for (const row of more) mine.rows.set(row.session_id, row);
      };
      const read = async (): Promise<boolean> => {
        const asked = [...mine.rows.values()];
        mine.rows.clear();
        const part = await between(asked, query).catch(() => null);
        const taken = part !== null && (named.current !== mine || onRead(part));
        if (!taken) add(asked);
        return taken;
      };
      const readAll = async (): Promise<void> => {
        mine.isReading = true;
        while (mine.rows.size > 0 && (await read()));
        mine.isReading = false;
      };
      add(rows);
      if (!mine.isReading) void readAll();
    },
    [query, onRead],
  );
}
