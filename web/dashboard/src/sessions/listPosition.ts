/** Position in the list, to return to it from a session. Kept per tab. */
import type { SessionLine } from '@tarsy/ui';

interface ListPosition {
  /** Page of the list, because the inbox has rows too. */
  path: string;
  /** Query string of the list. */
  search: string;
  /** Row that was opened or has the cursor. */
  current: string | null;
  /** Scroll position, pixels. */
  top: number;
  rows: readonly SessionLine[];
}

let place: ListPosition = { path: '/sessions', search: '', current: null, top: 0, rows: [] };

/** Saves the changed parts of the position. */
export function saveListPosition(change: Partial<ListPosition>): void {
  place = { ...place, ...change };
}

/** Returns the saved position if it is of this query, else the top of the list. */
export const listPosition = (search: string): Pick<ListPosition, 'current' | 'top'> =>
  place.search === search ? place : { current: null, top: 0 };

/** URL of the list when the user left it. */
export const listAddress = (): string => (place.path === '/sessions' ? `/sessions${place.search}` : place.path);

/** The previous or next session of the list; null: none. */
export function adjacentSession(id: string, step: 1 | -1): string | null {
  const at = place.rows.findIndex((row) => row.session_id === id);
  return at < 0 ? null : (place.rows[at + step]?.session_id ?? null);
}
