/** Colour of a heartbeat's age. */

/** Heartbeat interval of workers, seconds. */
const BEAT_S = 3;

/** Warns after two missed heartbeats, alarms after five. */
export function heartbeatTone(ageSeconds: number): 'good' | 'warn' | 'bad' {
  if (ageSeconds > BEAT_S * 5) return 'bad';
  return ageSeconds > BEAT_S * 2 ? 'warn' : 'good';
}
