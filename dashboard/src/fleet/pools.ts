/** Recent wait and throughput of a queue. */
import { formatDuration, type Queue } from '@tarsy/ui';

/** Queue wait as `p50 / p95`. */
export function waited({ stages }: Queue): string {
  if (stages?.wait_p50_ms == null) return '–';
  return `${formatDuration(stages.wait_p50_ms)} / ${formatDuration(stages.wait_p95_ms)}`;
}

/** Completed stages per minute. */
export function rate({ stages }: Queue): string {
  if (stages == null) return '–';
  const each = stages.ended_per_minute;
  return each === 0 ? '0' : each.toFixed(each < 1 ? 2 : each < 100 ? 1 : 0);
}
