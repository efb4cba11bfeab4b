/** Changes near an alert, on the axis of a waterfall. */
import type { NearChange } from '../api/types';
import { formatDuration } from '../prefs/time';

/** Describes how long before or after the alert a change happened. */
export function changeAge(change: NearChange, alertUs: number): string {
  const ms = Math.abs(change.happened_at_us - alertUs) / 1000;
  if (ms < 60_000) return 'at the time of the alert';
  // Seconds do not matter here.
  const span = ms < 3_600_000 ? `${String(Math.floor(ms / 60_000))} min` : formatDuration(ms);
  return `${span} ${change.happened_at_us < alertUs ? 'before' : 'after'} the alert`;
}

/** Whether a link may be followed. The API rejects all others, but an older API may not. */
export function isPage(link: string | null | undefined): link is string {
  return /^https?:\/\//.test(link ?? '');
}

/** Position of a change on an axis: its share from 0 to 1, or the side on which it lies outside of the axis. */
export function shareOf(us: number, fromUs: number, spanUs: number): number | 'before' | 'after' {
  if (us < fromUs) return 'before';
  return us > fromUs + spanUs ? 'after' : (us - fromUs) / spanUs;
}
