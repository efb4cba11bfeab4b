/** Why a session doesn't go on, in words. */
import type { SessionWait, WaitReason } from '../api/types';
import { pluralize } from '../prefs/format';
import type { Tone } from '../theme/tones';

const CHIP: Record<WaitReason, { tone: Tone; label: string }> = {
  queued: { tone: 'rest', label: 'queued' },
  queue_paused: { tone: 'warn', label: 'paused' },
  no_worker: { tone: 'bad', label: 'no worker' },
  retrying: { tone: 'warn', label: 'retrying' },
  snoozed: { tone: 'warn', label: 'rate limited' },
  after_crash: { tone: 'warn', label: 'recovering' },
  worker_not_answering: { tone: 'bad', label: 'not answering' },
};

/** Label and tone of a waiting session. */
export const waitTone = (wait: SessionWait): { tone: Tone; label: string } => CHIP[wait.reason];

/** The pool of a queue, or the chain workers. */
export const poolOf = (queue: string): string => (queue.startsWith('stage:') ? `pool ${queue.slice('stage:'.length)}` : 'the chain workers');

const upstream = (wait: SessionWait): string => (wait.provider == null ? 'The provider' : `Provider ${wait.provider}`);
const failed = (wait: SessionWait): string => (wait.last_error == null ? '' : `: ${wait.last_error}`);

/** Cause in one sentence. */
export function waitCause(wait: SessionWait): string {
  switch (wait.reason) {
    case 'queued': return `Waiting for a free slot of ${poolOf(wait.queue)}`;
    case 'queue_paused': return `Queue ${wait.queue} is paused`;
    case 'no_worker': return wait.queue.startsWith('stage:') ? `No worker of ${poolOf(wait.queue)} can run this stage` : 'No chain worker is running';
    case 'retrying': return `Retry ${String(wait.tries)}${wait.max_tries == null ? '' : ` of ${String(Math.max(wait.tries, wait.max_tries - 1))}`} follows${failed(wait)}`;
    case 'snoozed': return `${upstream(wait)} refused ${pluralize(wait.tries, 'time')}${failed(wait)}`;
    case 'after_crash': return `${pluralize(wait.tries, 'worker')} died running this stage`;
    case 'worker_not_answering': return `Worker ${wait.worker ?? ''} is not answering`.replace('  ', ' ');
  }
}

/** Who could act, and how. */
export function waitRemedy(wait: SessionWait): string {
  switch (wait.reason) {
    case 'queued': return 'Nothing to do. More workers or slots shorten the wait.';
    case 'queue_paused': return 'An operator can resume the queue on the fleet page.';
    case 'no_worker': return `Whoever runs the fleet can start a worker${wait.queue.startsWith('stage:') ? ` of ${poolOf(wait.queue)} with the current configuration` : ''}.`;
    case 'retrying': return 'It is tried again by itself. If the error stays, an operator can cancel the session.';
    case 'snoozed': return `It is tried again by itself. Whoever holds the account of ${wait.provider ?? 'the provider'} can raise the limit or replace the key.`;
    case 'after_crash': return 'It is tried again by itself. The logs of the workers say why they died.';
    case 'worker_not_answering': return 'Another worker takes over when the lease expires. Whoever runs the fleet can restart the process.';
  }
}
