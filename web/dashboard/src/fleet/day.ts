/** Hourly bars of the last day. */
import type { Metrics } from '@tarsy/ui';

export interface HourBar {
  fromUs: number;
  toUs: number;
  sessions: number;
  failed: number;
}

export const HOUR_US = 3_600_000_000;

/** One bar per hour, empty hours included. The current hour is the last. */
export function hourBars(metrics: Metrics, nowUs: number): HourBar[] {
  const byHour = new Map(metrics.by_hour.map((hour) => [hour.hour_us, hour]));
  const last = Math.floor(nowUs / HOUR_US) * HOUR_US;
  return Array.from({ length: metrics.hours }, (_, back) => {
    const fromUs = last - (metrics.hours - 1 - back) * HOUR_US;
    const hour = byHour.get(fromUs);
    return { fromUs, toUs: fromUs + HOUR_US, sessions: hour?.sessions ?? 0, failed: hour?.failed ?? 0 };
  });
}

/** URL of an hour's sessions. */
export const listOf = ({ fromUs, toUs }: HourBar): string =>
  `/sessions?range=custom&from=${String(fromUs)}&to=${String(toUs)}`;
