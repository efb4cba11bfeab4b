/** The alert of a session, as it can be submitted again. Pure, so that it can be tested. */
import type { SessionDetail } from '../api/types';
import type { Preset } from './presets';

/** What the API puts into the data of an alert that names no environment. */
const ENVIRONMENT = 'production';

/** The alert without what the API added to it: its time is another one, and the rest is added again. */
function alertOf(session: SessionDetail): Record<string, unknown> {
  const added: Record<string, unknown> = { severity: session.severity, environment: ENVIRONMENT, timestamp: session.alert_timestamp_us };
  const data = Object.fromEntries(Object.entries(session.alert_data).filter(([name, value]) => added[name] !== value));
  return { alert_type: session.alert_type, runbook: session.runbook_url ?? '', severity: session.severity, data };
}

/** What a form begins with that submits a session's alert again. */
export function sessionPreset(session: SessionDetail): Preset {
  return {
    id: `session-${session.session_id}`, label: `Alert of session ${session.session_id.slice(-6)}`, source: null,
    hint: 'Fields that the API added (timestamp, defaults) are removed and set again.', body: alertOf(session),
  };
}

const MARK = /\[MASKED_[A-Z0-9_]+|__MASKED_[A-Z0-9_]+__/;

/** Where masking left its mark in a value, as paths: `data.labels.token`, `data.hosts[2]`. */
export function maskedAt(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return MARK.test(value) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((one: unknown, at) => maskedAt(one, `${path}[${String(at)}]`));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, one]) => maskedAt(one, path === '' ? name : `${path}.${name}`));
}
