import { ApiError, type DeadJob } from '@tarsy/ui';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runAction, resultMessage } from '../src/fleet/dead/actions';

const jobs = (...ids: string[]): DeadJob[] => ids.map((id) => ({ job_id: id }) as DeadJob);
const answers: Response[] = [];
const asked: string[] = [];
const problem = (status: number, code: string, detail: string): Response =>
  new Response(JSON.stringify({ status, code, detail }), {
    status,
    headers: { 'content-type': 'application/problem+json' },
  });
const fine = (): Response => new Response('{}', { status: 200, headers: { 'content-type': 'application/json' } });

beforeEach(() => {
  answers.length = 0;
  asked.length = 0;
  vi.stubGlobal('fetch', async (path: string, { body }: { body: string }) => {
    asked.push(`${path.slice('/api/v1/admin/dead-jobs/'.length)} ${(JSON.parse(body) as { reason: string }).reason}`);
    const answer = answers.shift();
    return answer === undefined ? Promise.reject(new TypeError('no network')) : Promise.resolve(answer);
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe('many dead jobs', () => {
  it('are acted on one after the other for one reason; one that is refused does not stop the rest', async () => {
    answers.push(fine(), problem(409, 'job_needed', 'a session waits for it'), fine());
    const progress: number[] = [];
    const outcome = await runAction({ verb: 'discard', jobs: jobs('a', 'b', 'c') }, 'looked at', (done) =>
      progress.push(done),
    );
    expect(asked).toEqual(['a/discard looked at', 'b/discard looked at', 'c/discard looked at']);
    expect(progress).toEqual([1, 2, 3]);
    expect(outcome).toEqual({ done: 2, failed: [{ id: 'b', why: 'a session waits for it' }] });
    expect(resultMessage('discard', outcome)).toBe('Discarded 2 jobs. 1 job failed and still selected:');
  });
  it('that broke off half-way tell which are left', async () => {
    answers.push(fine());
    expect(await runAction({ verb: 'requeue', jobs: jobs('a', 'b', 'c') }, 'why', () => undefined)).toEqual({
      done: 1,
      failed: ['b', 'c'].map((id) => ({ id, why: 'connection failed' })),
    });
  });
  it('stop at once without permission', async () => {
    answers.push(problem(403, 'forbidden', 'your role is viewer'));
    await expect(runAction({ verb: 'requeue', jobs: jobs('a', 'b') }, 'why', () => undefined)).rejects.toBeInstanceOf(
      ApiError,
    );
    expect(asked).toHaveLength(1);
  });
});

it('a refusal for one job alone is the answer itself', async () => {
  answers.push(problem(409, 'job_needed', 'a session waits for it'));
  await expect(runAction({ verb: 'discard', jobs: jobs('a') }, 'why', () => undefined)).rejects.toThrow(
    'a session waits for it',
  );
});
