/** Merges live updates into the loaded pages of the list. */
import type { SessionLine, SessionList } from '@tarsy/ui';

/** Current rows of a part of the list. */
export interface ListSlice {
  rows: readonly SessionLine[];
  /** `rows` has every match that started after `afterUs` and not after `toUs`, in Unix microseconds. */
  afterUs: number;
  toUs: number;
}

/** The list while new rows are held back. */
export interface FrozenList {
  pages: SessionList[];
  /** Number of new sessions that are held back. */
  waiting: number;
  /** Whether some shown rows no longer match. */
  missed: boolean;
}

/** Returns the slice that the newest page covers. */
export function headSlice({ sessions, pagination }: SessionList): ListSlice {
  return {
    rows: sessions,
    afterUs: pagination.next_cursor == null ? -Infinity : (sessions.at(-1)?.started_at_us ?? Infinity),
    toUs: Infinity,
  };
}

/** Compares in the order of the API, newest first. */
const inOrder = (a: SessionLine, b: SessionLine): number =>
  b.started_at_us - a.started_at_us || (a.session_id < b.session_id ? 1 : -1);

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));

/** Returns the updated row, or the same object if nothing changed, so that it is not rendered again. */
function renewed(row: SessionLine, now: SessionLine | undefined): SessionLine {
  if (now === undefined) return row;
  const names = new Set([...Object.keys(row), ...Object.keys(now)]) as Set<keyof SessionLine>;
  for (const name of names) if (!isSame(row[name], now[name])) return now;
  return row;
}

/** Whether a session sorts before the end of this page. */
function reaches({ sessions, pagination }: SessionList, row: SessionLine): boolean {
  if (pagination.next_cursor == null) return true;
  if (pagination.searched_to_us != null) return row.started_at_us >= pagination.searched_to_us;
  const last = sessions.at(-1);
  return last !== undefined && inOrder(row, last) < 0;
}

const idsOf = (pages: readonly SessionList[]): Set<string> =>
  new Set(pages.flatMap(({ sessions }) => sessions.map((row) => row.session_id)));

/** Maps the rows of each page and keeps unchanged objects. */
function withRows(pages: SessionList[], change: (page: SessionList) => SessionLine[]): SessionList[] {
  const next = pages.map((page) => {
    const sessions = change(page);
    return sessions.length === page.sessions.length && sessions.every((row, at) => row === page.sessions[at])
      ? page
      : { ...page, sessions };
  });
  return next.every((page, at) => page === pages[at]) ? pages : next;
}

const isWithin = ({ afterUs, toUs }: ListSlice, { started_at_us: at }: SessionLine): boolean =>
  at > afterUs && at <= toUs;

/** Merges a slice into the pages: updates, inserts and removes rows. */
export function mergeSlice(pages: SessionList[], part: ListSlice): SessionList[] {
  const fresh = new Map(part.rows.map((row) => [row.session_id, row]));
  const known = idsOf(pages);
  let incoming = part.rows.filter((row) => !known.has(row.session_id));
  return withRows(pages, (page) => {
    const here = incoming.filter((row) => reaches(page, row));
    incoming = incoming.filter((row) => !here.includes(row));
    const kept = page.sessions
      .filter((row) => fresh.has(row.session_id) || !isWithin(part, row))
      .map((row) => renewed(row, fresh.get(row.session_id)));
    return here.length === 0 ? kept : [...kept, ...here].sort(inOrder);
  });
}

/**
 * Merges the current newest page into the pages. If more than a page of sessions has arrived since they were loaded,
 * the sessions in between are unknown. Then only the newest page remains, and scrolling loads the others again.
 */
export function mergeHead(head: SessionList, pages: SessionList[]): SessionList[] {
  const known = idsOf(pages);
  const isApart = head.pagination.next_cursor != null && !head.sessions.some((row) => known.has(row.session_id));
  return isApart ? [head] : mergeSlice(pages, headSlice(head));
}

/** Updates rows in place while the user scrolls or selects. Holds back new rows, and removes no row. */
export function mergeFrozen(pages: SessionList[], part: ListSlice): FrozenList {
  const fresh = new Map(part.rows.map((row) => [row.session_id, row]));
  const known = idsOf(pages);
  return {
    pages: withRows(pages, ({ sessions }) => sessions.map((row) => renewed(row, fresh.get(row.session_id)))),
    waiting: part.rows.filter((row) => !known.has(row.session_id)).length,
    missed: pages.some(({ sessions }) => sessions.some((row) => isWithin(part, row) && !fresh.has(row.session_id))),
  };
}
