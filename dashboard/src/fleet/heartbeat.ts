/** What the age of a worker's last sign of life means. */
import type { Worker } from '@tarsy/ui';

/** Workers tell that they live about this often. */
const BEAT_S = 3;

/** Seconds since a worker was heard, by whichever field the API tells it. */
export function heartbeatAge(worker: Worker, nowMs: number): number | null {
  if (worker.heartbeat_age_seconds != null) return worker.heartbeat_age_seconds;
  if (worker.heartbeat_at_us != null) return Math.max(0, (nowMs - worker.heartbeat_at_us / 1000) / 1000);
  if (worker.heartbeat_at != null) return Math.max(0, (nowMs - Date.parse(worker.heartbeat_at)) / 1000);
  return null;
}

/** Late by two beats is odd, by five is likely dead. */
export function heartbeatTone(age: number | null): 'good' | 'warn' | 'bad' | 'rest' {
  if (age === null) return 'rest';
  if (age > BEAT_S * 5) return 'bad';
  return age > BEAT_S * 2 ? 'warn' : 'good';
}

export const idOf = (worker: Worker): string => worker.worker_id ?? worker.id ?? '';
