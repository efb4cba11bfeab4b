import type { AuditEntry, StageDetail } from '@tarsy/ui';
import { expect, it } from 'vitest';
import { replayOf, replaySummary } from '../src/session/replays';

const entry = (over: Partial<AuditEntry>, details: Record<string, unknown>): AuditEntry => ({
  entry_id: 1,
  action: 'stage.replay',
  actor: 'ada',
  at_us: 100,
  reason: 'the key was revoked',
  role: 'operator',
  subject: 's',
  subject_kind: 'session',
  details: details as never,
  ...over,
});
const stage = (index: number, attempt: number, created: number): StageDetail =>
  ({
    execution_id: `${String(index)}.${String(attempt)}`,
    stage_index: index,
    attempt,
    created_at_us: created,
  }) as StageDetail;

it('an attempt tells whose replay it is, and a later stage the one that it runs on top of', () => {
  const first = entry(
    { at_us: 100 },
    { stage_index: 1, execution_id: '1.2', llm_provider: 'repaired', iteration_strategy: null },
  );
  const second = entry({ at_us: 300, reason: 'again' }, { stage_index: 1, execution_id: '1.3' });
  const newestFirst = [second, first];
  expect(replayOf(stage(1, 1, 10), newestFirst)).toBeUndefined();
  expect(replayOf(stage(1, 2, 100), newestFirst)).toBe(first);
  expect(replayOf(stage(2, 2, 200), newestFirst)).toBe(first);
  expect(replayOf(stage(2, 3, 400), newestFirst)).toBe(second);
  expect(replayOf(stage(0, 2, 400), newestFirst)).toBeUndefined();
  expect(replaySummary(first, stage(1, 2, 100))).toBe('Replayed by ada with provider repaired: the key was revoked');
});

it('of a later stage it says only what holds there', () => {
  const replay = (details: object) =>
    entry({}, { stage_index: 1, llm_provider: 'repaired', iteration_strategy: 'react', ...details });
  expect(replaySummary(replay({}), stage(1, 2, 100))).toContain('with provider repaired, strategy react');
  expect(replaySummary(replay({}), stage(2, 2, 200))).toBe('Replayed by ada: the key was revoked');
  expect(replaySummary(replay({ later_stages: true }), stage(2, 2, 200))).toBe(
    'Replayed by ada with provider repaired: the key was revoked',
  );
});
