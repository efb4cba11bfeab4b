/** Actions on dead jobs. */
import { asApiError, discardJob, pluralize, requeueJob, type DeadJob } from '@tarsy/ui';
import { each, type Outcome } from '../../sessions/bulk';

export type Verb = 'requeue' | 'discard';

export const WORD: Record<Verb, string> = { requeue: 'Requeue', discard: 'Discard' };

/** Action waiting for confirmation. */
export interface PendingAction {
  verb: Verb;
  jobs: readonly DeadJob[];
}

/** Short id of a job. */
export const short = (id: string): string => id.slice(-12);

const ACT: Record<Verb, typeof requeueJob> = { requeue: requeueJob, discard: discardJob };

/**
 * Runs an action on each job, one after the other. With several jobs, the outcome lists those that failed, also if the
 * action stopped half-way. Throws if there is only one job and it fails, or if the action stops before any job is done.
 */
export async function runAction(
  { verb, jobs }: PendingAction,
  reason: string,
  onProgress: (done: number) => void,
): Promise<Outcome> {
  const ids = jobs.map((job) => job.job_id);
  const done = new Set<string>();
  const one = async (id: string): Promise<void> => {
    await ACT[verb](id, reason);
    done.add(id);
  };
  try {
    if (ids.length > 1) return await each(ids, one, onProgress);
    for (const id of ids) await one(id);
    return { done: done.size, failed: [] };
  } catch (error) {
    if (done.size === 0) throw error;
    return {
      done: done.size,
      failed: ids.filter((id) => !done.has(id)).map((id) => ({ id, why: asApiError(error).message })),
    };
  }
}

/** Message about the outcome of an action. */
export const resultMessage = (verb: Verb, { done, failed }: Outcome): string =>
  `${verb === 'requeue' ? 'Requeued' : 'Discarded'} ${pluralize(done, 'job')}.${failed.length === 0 ? '' : ` ${pluralize(failed.length, 'job')} failed and still selected:`}`;
