/** Alert of a session, ready to be resubmitted. */
import type { SessionDetail } from '../api/types';
import type { Preset } from './presets';

/** Default environment that the API adds to an alert. */
const ENVIRONMENT = 'production';

/** Alert without fields that the API added. */
function alertOf(session: SessionDetail): Record<string, unknown> {
  const added: Record<string, unknown> = {
    severity: session.severity,
    environment: ENVIRONMENT,
    timestamp: session.alert_timestamp_us,
  };
  const data = Object.fromEntries(Object.entries(session.alert_data).filter(([name, value]) => added[name] !== value));
  return { alert_type: session.alert_type, runbook: session.runbook_url ?? '', severity: session.severity, data };
}

/** Preset of a session's alert. */
export function sessionPreset(session: SessionDetail): Preset {
  return {
    id: `session-${session.session_id}`,
    label: `Alert of session ${session.session_id.slice(-6)}`,
    source: null,
    hint: 'Fields that the API added (timestamp, defaults) are removed and set again.',
    body: alertOf(session),
  };
}

const MARK = /\[MASKED_[A-Z0-9_]+|__MASKED_[A-Z0-9_]+__/;

/** Paths of masked values: `data.labels.token`, `data.hosts[2]`. */
export function maskedAt(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return MARK.test(value) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((one: unknown, at) => maskedAt(one, `${path}[${String(at)}]`));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, one]) => maskedAt(one, path === '' ? name : `${path}.${name}`));
}
