/** Earlier visits of the inbox in this browser. */

/** A visit: sessions that ended after `since` are new, and `left` is when the page was last open. In milliseconds. */
export interface Visit {
  since: number;
  left: number;
}

const KEY = 'tarsy.inbox';
/** Maximum absence within one visit, in milliseconds, e.g. to look at a session or to reload. */
const SAME_VISIT_MS = 30 * 60_000;
/** Time that the first visit looks back, in milliseconds. */
const FIRST_VISIT_MS = 24 * 3_600_000;

/** Returns the visit that begins or continues now. */
export function visitAt(stored: string | null, now: number): Visit {
  const first = { since: now - FIRST_VISIT_MS, left: now };
  try {
    const { since, left } = (JSON.parse(stored ?? 'null') ?? {}) as Partial<Visit>;
    if (typeof since !== 'number' || typeof left !== 'number') return first;
    return { since: now - left < SAME_VISIT_MS ? since : left, left: now };
  } catch {
    return first;
  }
}

export const currentVisit = (): Visit => visitAt(localStorage.getItem(KEY), Date.now());
export const keepVisit = (since: number): void => {
  localStorage.setItem(KEY, JSON.stringify({ since, left: Date.now() } satisfies Visit));
};
