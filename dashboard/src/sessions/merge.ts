/** Keeps a list live without letting it jump. */
import type { SessionLine } from '@tarsy/ui';

export interface Merged {
  rows: SessionLine[];
  /** Sessions that came and are held back. */
  waiting: number;
  /** Ids of new sessions that are shown; they stay shown when the list is held later. */
  accepted: ReadonlySet<string>;
}

/** The newest page as it is now. */
export interface Head {
  rows: readonly SessionLine[];
  /** It has every session that started later and matches; infinite: it is not there yet. */
  toUs: number;
}

/**
 * Rows on the page, the newest page as it is now, and what is shown of it.
 *
 * Rows that are shown are brought up to date in place. New ones are put on top and those that no longer match
 * leave, unless the list is held (somebody scrolled down or selected rows): then new ones wait, and none leaves.
 */
export function merge(
  pages: readonly SessionLine[], { rows: head, toUs }: Head, accepted: ReadonlySet<string>, hold: boolean,
): Merged {
  const fresh = new Map(head.map((row) => [row.session_id, row]));
  const known = new Set(pages.map((row) => row.session_id));
  const incoming = head.filter((row) => !known.has(row.session_id));
  const shown = hold ? incoming.filter((row) => accepted.has(row.session_id)) : incoming;
  const left = hold ? pages : pages.filter((row) => fresh.has(row.session_id) || row.started_at_us <= toUs);
  const rows = [...shown, ...left.map((row) => fresh.get(row.session_id) ?? row)];
  return { rows, waiting: incoming.length - shown.length, accepted: new Set(shown.map((row) => row.session_id)) };
}
