/** Submits the form. */
import { sendWebhook, submitAlert } from '../api/sessions';

/** Result of a submission. */
export interface Submitted {
  sessionId: string;
  alertId: string | null;
  duplicate: boolean;
}

/** Submits an alert (no source), or a payload as a monitoring system would. `key` makes a retry of an alert safe. */
export async function send(source: string | null, value: unknown, key: string): Promise<Submitted[]> {
  if (source === null) {
    const answer = await submitAlert(value, key);
    return [{ sessionId: answer.session_id, alertId: answer.alert_id, duplicate: answer.status === 'duplicate' }];
  }
  const answer = await sendWebhook(source, value);
  return (answer.results ?? []).flatMap((result) =>
    typeof result.session_id === 'string'
      ? [{ sessionId: result.session_id, alertId: result.alert_id ?? null, duplicate: result.status === 'duplicate' }]
      : [],
  );
}
