import type { SessionDetail, StageDetail } from '@tarsy/ui';
import { expect, test } from 'vitest';
import { earlierAnswer } from '../src/session/earlierAnswer';

const stage = (stage_index: number, result: string | null, more: Partial<StageDetail> = {}): Partial<StageDetail> => ({
  stage_index,
  is_current: true,
  status: result === null ? 'pending' : 'completed',
  stage_output: result === null ? null : { result },
  completed_at_us: stage_index,
  ...more,
});
const session = (stages: Partial<StageDetail>[], more: Partial<SessionDetail> = {}): SessionDetail =>
  ({ stages, ...more }) as SessionDetail;

test('while a replay runs, the answer before it is the newest of the last stage that had one', () => {
  const replayed = [
    stage(0, 'looked', { is_current: false }),
    stage(1, 'the old answer', { completed_at_us: 5 }),
    stage(1, 'an older one', { completed_at_us: 3, is_current: false }),
    stage(0, null),
  ];
  expect(earlierAnswer(session(replayed))).toBe('the old answer');
});

test('without a replay, and once there is an answer, there is none before it', () => {
  expect(earlierAnswer(session([stage(0, 'looked'), stage(1, null)]))).toBeNull();
  const replayed = [stage(0, 'looked', { is_current: false }), stage(0, 'looked again')];
  expect(earlierAnswer(session(replayed, { final_analysis: 'new', completed_at_us: 9 }))).toBeNull();
  expect(earlierAnswer(session([stage(0, null, { is_current: false }), stage(0, null)]))).toBeNull();
});
