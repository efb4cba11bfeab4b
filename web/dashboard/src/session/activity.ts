/** Describes the activity of a session. */
import type { ActivityEntry, Tone } from '@tarsy/ui';
import { faultLabel, ratingLabel } from './ratings';

const NAMES: Record<string, string> = {
  'session.cancel': 'cancelled',
  'session.ask': 'asked a question',
  'session.read_raw': 'read the unmasked data',
  'session.signal': 'sent a signal',
  'stage.replay': 'replayed a stage',
  'approval.approve': 'approved',
  'approval.deny': 'denied',
};

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Describes the action of an audit log entry. */
function done(kind: string, details: Record<string, unknown>): string {
  switch (kind) {
    case 'session.acknowledge':
      return details.acknowledged === false ? 'took the acknowledgement back' : 'acknowledged';
    case 'session.review':
      return details.reviewed === false ? 'took the review back' : 'reviewed';
    case 'session.assign':
      return textOf(details.assignee) === null ? 'unassigned' : `assigned to ${textOf(details.assignee) ?? ''}`;
    case 'session.incident':
      return details.incident_member === false ? 'took it out of its incident' : 'put it back into its incident';
    case 'session.rate': {
      if (typeof details.right_cause === 'boolean')
        return details.right_cause ? 'stated the right cause' : 'took the right cause back';
      if (Array.isArray(details.faults))
        return details.faults.length === 0
          ? 'named nothing wrong'
          : `named what was wrong: ${details.faults.map((fault) => faultLabel(String(fault))).join(', ')}`;
      const rating = details.rating;
      return rating === 'right' || rating === 'partly_right' || rating === 'wrong'
        ? `rated the answer ${ratingLabel(rating)}`
        : 'took the rating back';
    }
    default:
      return NAMES[kind] ?? kind;
  }
}

/** Label, tone and text of an entry. Leaves out the placeholder of a missing reason. */
export function describeActivity({ kind, text, details }: ActivityEntry): { label: string; tone: Tone; text: string } {
  if (kind === 'note') return { label: 'note', tone: 'rest', text };
  if (kind === 'action') return { label: 'action taken', tone: 'good', text };
  return {
    label: done(kind, details),
    tone: kind === 'session.cancel' || kind === 'approval.deny' ? 'bad' : 'run',
    text: text === 'not stated' ? '' : text,
  };
}
