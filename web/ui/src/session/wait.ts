/** Explains why a session waits. */
import type { SessionDetail, SessionWait, Wait, WaitReason } from '../api/types';
import { pluralize } from '../prefs/format';
import type { Tone } from '../theme/tones';

const CHIP: Record<WaitReason, { tone: Tone; label: string }> = {
  queued: { tone: 'rest', label: 'queued' },
  queue_paused: { tone: 'warn', label: 'paused' },
  no_worker: { tone: 'bad', label: 'no worker' },
  retrying: { tone: 'warn', label: 'retrying' },
  snoozed: { tone: 'warn', label: 'provider busy' },
  after_crash: { tone: 'warn', label: 'recovering' },
  worker_not_answering: { tone: 'bad', label: 'not answering' },
  approval: { tone: 'warn', label: 'needs approval' },
  signal: { tone: 'warn', label: 'awaits signal' },
  timer: { tone: 'rest', label: 'paused' },
  children: { tone: 'run', label: 'sub-agents' },
};

/** Whether the alert is held until someone starts its investigation (`hold` of a chain). */
export const isHeld = (wait: { stage_name?: string | null }): boolean => wait.stage_name === 'hold';

/** Labels of the two decisions. */
export const answerWords = (wait: { stage_name?: string | null }): { approve: string; deny: string } =>
  isHeld(wait) ? { approve: 'Investigate', deny: 'Dismiss' } : { approve: 'Approve', deny: 'Deny' };

/** Subject of the alert, e.g. `cart-0 in shop, prod-eu-1`; null: the alert names none. */
export function waitTarget({ object, namespace, cluster }: Wait): string | null {
  const place = [namespace, cluster].filter((part) => part != null && part !== '').join(', ');
  if (object == null || object === '') return place === '' ? null : place;
  return place === '' ? object : `${object} in ${place}`;
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;

/** Describes what happens after a decision, as the end of a sentence; null: unknown. */
export function consequenceOf(wait: Wait, answer: 'approve' | 'deny'): string | null {
  const approves = answer === 'approve';
  if (wait.sort === 'tool_call')
    return approves ? 'the call is made once' : 'the call is not made, and the agent goes on with your reason';
  if (wait.sort === 'spending')
    return approves ? `${wait.stage_name} runs beyond the limit` : `${wait.stage_name} fails`;
  const next = approves ? wait.on_approve : wait.on_deny;
  if (next == null) return null;
  const runs = next.runs.map(({ name, agent }) => `${name} (${agent})`);
  const parts = [
    ...(next.skips.length === 0 ? [] : [`${listed(next.skips)} ${next.skips.length === 1 ? 'is' : 'are'} skipped`]),
    ...(runs.length === 0 ? [] : [`${listed(runs)} ${runs.length === 1 ? 'runs' : 'run'}`]),
    ...(next.ends ? ['the session ends'] : []),
  ];
  return parts.length === 0 ? 'the chain waits for its other stages' : parts.join(', then ');
}

/** Label and tone of a waiting session. */
export const waitTone = (wait: SessionWait): { tone: Tone; label: string } =>
  wait.reason === 'approval' && isHeld(wait)
    ? { tone: 'rest', label: 'held' }
    : wait.reason === 'snoozed'
      ? { tone: 'warn', label: REFUSAL[refusalOf(wait)].label }
      : CHIP[wait.reason];

type Refusal = 'rate_limited' | 'overloaded' | 'outage' | 'auth' | 'other';

/** Groups a provider's errors by what people can do about them. */
function refusalOf({ error_class: kind }: SessionWait): Refusal {
  switch (kind) {
    case 'rate_limited':
    case 'overloaded':
    case 'auth':
      return kind;
    case 'server_error':
    case 'connection':
    case 'timeout':
      return 'outage';
    default:
      return 'other';
  }
}

const FALLBACK = 'Nothing to do. A fallback provider would answer in the meantime.';
const REFUSAL: Record<Refusal, { label: string; does: string; help: string }> = {
  rate_limited: {
    label: 'rate limited',
    does: 'limits the rate of calls',
    help: 'The owner of its account can raise the limit.',
  },
  overloaded: { label: 'provider overloaded', does: 'is overloaded', help: FALLBACK },
  outage: {
    label: 'provider failing',
    does: 'fails',
    help: 'If it goes on, the stage fails, or its fallback provider answers.',
  },
  auth: { label: 'key refused', does: 'refuses its key', help: 'An admin can replace the key.' },
  other: { label: CHIP.snoozed.label, does: 'refuses calls', help: FALLBACK },
};

/** Name of the workers of a queue: its pool, or the chain workers. */
export const poolOf = (queue: string): string =>
  queue.startsWith('stage:') ? `pool ${queue.slice('stage:'.length)}` : 'the chain workers';

/** Whether a stage waits for a person, a signal, a time or its sub-agents, rather than for a worker. */
export const isStageWait = ({ reason }: SessionWait): boolean =>
  reason === 'approval' || reason === 'signal' || reason === 'timer' || reason === 'children';

const upstream = (wait: SessionWait): string => (wait.provider == null ? 'The provider' : `Provider ${wait.provider}`);
const failed = (wait: SessionWait): string => (wait.last_error == null ? '' : `: ${wait.last_error}`);

const placeOf = (wait: SessionWait): { queue: string; at: string } => ({
  queue: wait.queue ?? '',
  at: wait.stage_name == null ? '' : ` at stage ${wait.stage_name}`,
});

/** Cause of a wait, in one sentence. */
export function waitCause(wait: SessionWait): string {
  const { queue, at } = placeOf(wait);
  switch (wait.reason) {
    case 'queued':
      return `Waiting for a free slot of ${poolOf(queue)}`;
    case 'queue_paused':
      return `Queue ${queue} is paused`;
    case 'no_worker':
      return queue.startsWith('stage:')
        ? `No worker of ${poolOf(queue)} can run this stage`
        : 'No chain worker is running';
    case 'retrying':
      return `Retry ${String(wait.tries)}${wait.max_tries == null ? '' : ` of ${String(Math.max(wait.tries, wait.max_tries - 1))}`} follows${failed(wait)}`;
    case 'snoozed':
      return `${upstream(wait)} ${REFUSAL[refusalOf(wait)].does}, ${pluralize(wait.tries, 'try', 'tries')}${failed(wait)}`;
    case 'after_crash':
      return `${pluralize(wait.tries, 'worker')} died running this stage`;
    case 'worker_not_answering':
      return `Worker ${wait.worker ?? ''} is not answering`.replace('  ', ' ');
    case 'approval':
      return isHeld(wait) ? 'Held until someone starts it' : `Waits for approval${at}`;
    case 'signal':
      return `Waits for a signal${at}`;
    case 'timer':
      return `Waits for its time${at}`;
    case 'children':
      return `Waits for its sub-agents${at}`;
  }
}

/** Suggested action, and who can take it. */
export function waitRemedy(wait: SessionWait): string {
  const { queue } = placeOf(wait);
  switch (wait.reason) {
    case 'queued':
      return 'Nothing to do. More workers or slots shorten the wait.';
    case 'queue_paused':
      return 'An operator can resume the queue on the fleet page.';
    case 'no_worker':
      return `An administrator can start a worker${queue.startsWith('stage:') ? ` of ${poolOf(queue)} with the current configuration` : ''}.`;
    case 'retrying':
      return 'It is retried automatically. If the error stays, an operator can cancel the session.';
    case 'snoozed':
      return `The call is repeated automatically. ${REFUSAL[refusalOf(wait)].help}`;
    case 'after_crash':
      return 'It is retried automatically. The logs of the workers have the reason.';
    case 'approval':
      return 'An operator can approve or deny it on the approvals page.';
    case 'signal':
      return 'A system outside sends the signal, for example a deployment.';
    case 'timer':
      return 'It continues automatically.';
    case 'children':
      return 'It continues when they have ended.';
    case 'worker_not_answering':
      return 'Another worker takes over when the lease expires. An administrator can restart the process.';
  }
}

/** Open waits of a session, oldest first. */
export const openWaits = (session: SessionDetail): Wait[] => session.waits.filter((wait) => wait.status === 'open');

/** Whether a person decides a wait. */
export const isApproval = (wait: Wait): boolean => wait.role != null;

/**
 * Whether the page can show everything that would run. If not, the wait must not be approved here. An older API sends
 * calls without their text.
 */
export const isShownWhole = ({ call }: Wait): boolean => call == null || (call.shown ?? '') !== '';

/** Describes how a wait ended, in a sentence; null: it is open. */
export function waitOutcome(wait: Wait): string | null {
  const by = wait.decided_by == null ? '' : ` by ${wait.decided_by}`;
  const why = wait.reason == null || wait.reason === '' ? '' : `: ${wait.reason}`;
  switch (wait.status) {
    case 'open':
      return null;
    case 'approved':
      return `Approved${by}${why}`;
    case 'denied':
      return `Denied${by}${why}`;
    case 'signalled':
      return `Signal ${wait.signal ?? ''} received${by}`.replace('  ', ' ');
    case 'elapsed':
      return 'The time is over';
    case 'expired':
      return wait.sort === 'children'
        ? 'Checked its sub-agents again'
        : wait.sort === 'signal'
          ? 'The signal did not come in time'
          : 'No decision came in time';
    case 'cancelled':
      return 'Cancelled with its session';
    case 'children_ended':
      return 'Its sub-agents have ended';
  }
}
