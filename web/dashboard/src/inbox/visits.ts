/** When the inbox was visited before, in this browser. */

/** A visit: what ended since, and when the page was last open. Milliseconds. */
export interface Visit {
  since: number;
  left: number;
}

const KEY = 'tarsy.inbox';
/** After a shorter absence it is still the same visit: a look at a session, or a reload. */
const SAME_VISIT_MS = 30 * 60_000;
/** How far the first visit looks back. */
const FIRST_VISIT_MS = 24 * 3_600_000;

/** The visit that begins now, or goes on. */
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
