/** Where one stood in the list, for the way back from a session; this tab's, until it is closed. */
import type { SessionLine } from '@tarsy/ui';

interface ListPosition {
  /** The list's query, as it stands in the address. */
  search: string;
  /** The row that was opened or is marked. */
  current: string | null;
  /** How far it was scrolled, pixels. */
  top: number;
  rows: readonly SessionLine[];
}

let place: ListPosition = { search: '', current: null, top: 0, rows: [] };

/** Keep what changed of it. */
export function saveListPosition(change: Partial<ListPosition>): void {
  place = { ...place, ...change };
}

/** Where one stood in the list of this query; at its top, if it was another. */
export const listPosition = (search: string): Pick<ListPosition, 'current' | 'top'> => (place.search === search ? place : { current: null, top: 0 });

/** The address of the list as it was left. */
export const listAddress = (): string => `/sessions${place.search}`;

/** The session before or after this one in the list as it was left; null: there is none, or it did not come from there. */
export function adjacentSession(id: string, step: 1 | -1): string | null {
  const at = place.rows.findIndex((row) => row.session_id === id);
  return at < 0 ? null : place.rows[at + step]?.session_id ?? null;
}
