/** Recent wait and throughput of a queue. */
import { formatDuration, formatCount, type Queue } from '@tarsy/ui';

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

/** Age of the oldest due job, and the number of jobs scheduled for later, for example to wait for a provider. */
export function waitingNote(oldestSeconds: number, queues: readonly Queue[] = []): string {
  const later = queues.reduce((sum, { scheduled }) => sum + scheduled, 0);
  const notes = [
    ...(oldestSeconds > 0 ? [`oldest ${formatDuration(oldestSeconds * 1000)}`] : []),
    ...(later > 0 ? [`${formatCount(later)} scheduled for later`] : []),
  ];
  return notes.length === 0 ? 'queue empty' : notes.join(', ');
}
