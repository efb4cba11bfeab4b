/** Time ranges of the list: spans before now, and days and weeks of the calendar. */
import type { Prefs } from '@tarsy/ui';

export const RANGES = [
  ['1h', 'Last hour'],
  ['4h', 'Last 4 hours'],
  ['24h', 'Last 24 hours'],
  ['today', 'Today'],
  ['yesterday', 'Yesterday'],
  ['7d', 'Last 7 days'],
  ['week', 'This week'],
  ['30d', 'Last 30 days'],
  ['all', 'All time'],
  ['custom', 'Custom range'],
] as const;
export type Range = (typeof RANGES)[number][0];

const HOURS: Partial<Record<Range, number>> = { '1h': 1, '4h': 4, '24h': 24, '7d': 168, '30d': 720 };

/** Midnight of the day that is `days` after that of an instant. */
export function midnight(ms: number, days: number, zone: Prefs['zone']): number {
  const date = new Date(ms);
  return zone === 'utc'
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + days)
    : new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
}

/** Days since Monday. */
const weekday = (ms: number, zone: Prefs['zone']): number =>
  ((zone === 'utc' ? new Date(ms).getUTCDay() : new Date(ms).getDay()) + 6) % 7;

/** Start of a range in milliseconds, rounded down to the minute so that query keys stay stable; null: open. */
export function rangeStart(range: Range, nowMs: number, zone: Prefs['zone']): number | null {
  const hours = HOURS[range];
  if (hours !== undefined) return Math.floor(nowMs / 60_000) * 60_000 - hours * 3_600_000;
  switch (range) {
    case 'today':
      return midnight(nowMs, 0, zone);
    case 'yesterday':
      return midnight(nowMs, -1, zone);
    case 'week':
      return midnight(nowMs, -weekday(nowMs, zone), zone);
    default:
      return null;
  }
}

/** End of a range that has one, by its start. */
export const rangeEnd = (range: Range, startMs: number | null, zone: Prefs['zone']): number | null =>
  range === 'yesterday' && startMs !== null ? midnight(startMs, 1, zone) : null;
