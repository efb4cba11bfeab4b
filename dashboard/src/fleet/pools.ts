/** How the stages of a queue's pool did lately, in words. */
import { formatDuration, type Queue } from '@tarsy/ui';

/** How long those that began had waited: the median, and what 19 of 20 stayed below. */
export function waited({ stages }: Queue): string {
  if (stages?.wait_p50_ms == null) return '–';
  return `${formatDuration(stages.wait_p50_ms)} / ${formatDuration(stages.wait_p95_ms)}`;
}

/** Stages done a minute; few of them are told with more digits. */
export function rate({ stages }: Queue): string {
  if (stages == null) return '–';
  const each = stages.ended_per_minute;
  return each === 0 ? '0' : each.toFixed(each < 1 ? 2 : each < 100 ? 1 : 0);
}
