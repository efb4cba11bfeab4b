import type { SessionDetail, StageDetail } from '@tarsy/ui';
import { expect, test } from 'vitest';
import { investigation, stageCompleteness, toolCalls, totals } from '../src/session/totals';

const call = (input_tokens: number | null, cost_usd: number | null) => ({
  type: 'llm',
  details: { input_tokens, output_tokens: input_tokens, cost_usd },
});
const stage = (calls: object[], more: Partial<StageDetail> = {}): StageDetail =>
  ({ chronological_interactions: calls, cost_completeness: null, cost_usd: null, ...more }) as StageDetail;

test('what a stage that runs costs is not known to be nothing', () => {
  expect(stageCompleteness(stage([]))).toBeNull();
  // Asked, not answered.
  expect(stageCompleteness(stage([call(null, null)]))).toBeNull();
  expect(stageCompleteness(stage([call(900, null)]))).toBe('none');
  expect(stageCompleteness(stage([call(900, null), call(100, 0.5)]))).toBe('partial');
  expect(stageCompleteness(stage([call(100, 0.5), call(null, null)]))).toBe('complete');
});

test('a stage that has ended says itself how much of its cost is known', () => {
  expect(stageCompleteness(stage([call(900, null)], { cost_completeness: 'complete' }))).toBe('complete');
});

test('the cost of a session is a lower bound while a part of it is not known', () => {
  const stages = [stage([], { cost_usd: 0.25, cost_completeness: 'complete' }), stage([call(900, null)])];
  expect(totals({ stages } as SessionDetail)).toMatchObject({
    costUsd: 0.25,
    completeness: 'partial',
    inputTokens: 900,
  });
});

test('a list of tools is no call', () => {
  const of = (kind: string) => ({ type: 'mcp', details: { communication_type: kind } });
  expect(
    toolCalls([
      stage([of('tool_list'), of('tool_call')], { mcp_communication_count: 2 }),
      stage([], { mcp_communication_count: 3 }),
    ]),
  ).toBe(4);
});

test('the cost of an investigation is that of its agents, sub-agents and questions, and says so', () => {
  const stages = [stage([], { cost_usd: 0.02, cost_completeness: 'complete', input_tokens: 100, output_tokens: 10 })];
  const none = { sessions: 0, input_tokens: 0, output_tokens: 0, cost_usd: null, is_cost_complete: true };
  const of = (parts: object) =>
    investigation({ stages, spending: { sub_agents: none, questions: none, ...parts } } as unknown as SessionDetail);
  expect(of({})).toMatchObject({ costUsd: 0.02, inputTokens: 100, split: null });
  const agents = { sessions: 2, input_tokens: 200, output_tokens: 20, cost_usd: 0.03, is_cost_complete: true };
  const question = { sessions: 1, input_tokens: 30, output_tokens: 3, cost_usd: 0.0041, is_cost_complete: true };
  const whole = of({ sub_agents: agents, questions: question });
  expect(whole).toMatchObject({
    inputTokens: 330,
    outputTokens: 33,
    completeness: 'complete',
    split: '$0.05 = agents $0.02 + 2 sub-agents $0.03 + 1 question $0.0041',
  });
  expect(whole.costUsd).toBeCloseTo(0.0541);
  // One part without a price makes the sum a lower bound.
  expect(of({ sub_agents: { ...agents, cost_usd: null, is_cost_complete: false } }).split).toBe(
    '≥ $0.02 = agents $0.02 + 2 sub-agents no price',
  );
  expect(investigation({ stages } as SessionDetail).split).toBeNull();
});
