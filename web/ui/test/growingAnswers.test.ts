import { expect, it } from 'vitest';
import { ANSWER_PIECE, grown, noAnswers, shownPart, type GrowingAnswers } from '../src/live/growingAnswers';
import type { LiveEvent } from '../src/live/protocol';
import { runningAnswers } from '../src/session/runningAnswers';
import type { SessionDetail } from '../src/api/types';

const piece = (more: Record<string, unknown>): LiveEvent => ({
  type: ANSWER_PIECE,
  channel: 'session_s',
  data: {
    stage_execution_id: 'e',
    interaction_id: 'i',
    epoch: 1,
    attempt: 1,
    part: 'text',
    offset: 0,
    text: '',
    ...more,
  },
});
const text = (answers: GrowingAnswers): string => shownPart(answers.get('e')?.text ?? { from: 0, text: '' });

it('pieces go where they belong, also when they are sent again or take something back', () => {
  let answers = grown(noAnswers, [piece({ text: 'The PVC 🙂 ' }), piece({ offset: 11, text: 'is stuck' })]);
  expect(text(answers)).toBe('The PVC 🙂 is stuck');
  answers = grown(answers, [piece({ text: 'The PVC 🙂 is stuck' })]);
  expect(text(answers)).toBe('The PVC 🙂 is stuck');
  answers = grown(answers, [piece({ offset: 4, text: '[MASKED_TOKEN] is stuck' })]);
  expect(text(answers)).toBe('The [MASKED_TOKEN] is stuck');
});

it('after a gap only what follows is shown, until it is sent from the beginning', () => {
  let answers = grown(noAnswers, [
    piece({ text: 'One ' }),
    piece({ offset: 40, text: 'later ' }),
    piece({ offset: 46, text: 'words' }),
  ]);
  expect(text(answers)).toBe('…later words');
  answers = grown(answers, [piece({ text: 'All of it' })]);
  expect(text(answers)).toBe('All of it');
});

it('another attempt, call or worker begins anew, and what a worker that lost the stage says is left out', () => {
  let answers = grown(noAnswers, [
    piece({ text: 'first' }),
    piece({ attempt: 2, text: 'second' }),
    piece({ text: 'late' }),
  ]);
  expect(text(answers)).toBe('second');
  answers = grown(answers, [
    piece({ epoch: 2, text: 'taken over' }),
    piece({ attempt: 3, offset: 6, text: ' zombie' }),
  ]);
  expect(text(answers)).toBe('taken over');
  answers = grown(answers, [piece({ epoch: 2, interaction_id: 'j', part: 'thinking', text: 'hm' })]);
  expect(text(answers)).toBe('');
  expect(answers.get('e')?.thinking.text).toBe('hm');
});

it('a draft is text that is marked as not checked', () => {
  const isDraft = (answers: GrowingAnswers) => [text(answers), answers.get('e')?.isDraft];
  expect(
    isDraft(
      grown(noAnswers, [piece({ part: 'draft', text: 'It runs ' }), piece({ part: 'draft', offset: 8, text: 'here' })]),
    ),
  ).toEqual(['It runs here', true]);
  expect(
    isDraft(grown(noAnswers, [piece({ part: 'draft', text: 'It' }), piece({ attempt: 2, text: 'Another' })])),
  ).toEqual(['Another', false]);
});

it('other events and odd messages change nothing', () => {
  const answers = grown(noAnswers, [piece({ text: 'kept' })]);
  expect(
    grown(answers, [
      { type: 'session_update', data: { text: 'x' } },
      piece({ offset: '3' }),
      piece({ part: 'tool' }),
      { type: ANSWER_PIECE },
    ]),
  ).toBe(answers);
});

it('a recorded answer takes the place of what grew', () => {
  const answers = grown(noAnswers, [piece({ text: 'so far' })]);
  const session = (status: string, success: boolean | null): SessionDetail =>
    ({
      stages: [{ execution_id: 'e', status, chronological_interactions: [{ id: 'i', success }] }],
    }) as unknown as SessionDetail;
  expect(runningAnswers(session('active', null), answers)).toHaveLength(1);
  expect(runningAnswers(session('active', true), answers)).toEqual([]);
  expect(runningAnswers(session('completed', null), answers)).toEqual([]);
});
