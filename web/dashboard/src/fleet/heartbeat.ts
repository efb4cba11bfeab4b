/** Colour of a heartbeat's age. */

/** Heartbeat interval of workers, in seconds. */
const BEAT_S = 3;

/** Returns `warn` after two missed heartbeats, `bad` after five. */
export function heartbeatTone(ageSeconds: number): 'good' | 'warn' | 'bad' {
  if (ageSeconds > BEAT_S * 5) return 'bad';
  return ageSeconds > BEAT_S * 2 ? 'warn' : 'good';
}
