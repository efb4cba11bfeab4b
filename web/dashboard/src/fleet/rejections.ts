import type { Rejection } from '@tarsy/ui';

/** Fingerprints of a rejected request's alerts. */
export function fingerprints(one: Rejection): string {
  const names = one.alerts.map((alert) => alert.fingerprint).filter((name) => name !== '');
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${String(names.length - 3)} more` : names.join(', ');
}

/** Why a rejected alert cannot be resubmitted; null: it can. */
export function resubmitBlocker(one: Rejection): string | null {
  if (one.is_whole) return null;
  return one.body_bytes == null
    ? 'The body was not read.'
    : 'The stored body is masked or truncated. Ask the sender to send it again.';
}

/** Warning before a rejected alert is resubmitted; null: none. */
export function resubmitWarning(one: Rejection): string | null {
  if (one.submitted_at_us != null)
    return `Already resubmitted${one.submitted_by == null ? '' : ` by ${one.submitted_by}`}.`;
  return one.is_proven ? null : 'The sender was not authenticated. Review the body before submitting.';
}
