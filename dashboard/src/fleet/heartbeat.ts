/** What the age of a worker's last sign of life means. */

/** Workers tell that they live about this often. */
const BEAT_S = 3;

/** Late by two beats is odd, by five is likely dead. */
export function heartbeatTone(ageSeconds: number): 'good' | 'warn' | 'bad' {
  if (ageSeconds > BEAT_S * 5) return 'bad';
  return ageSeconds > BEAT_S * 2 ? 'warn' : 'good';
}
