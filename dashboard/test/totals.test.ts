import type { SessionDetail, StageDetail } from '@tarsy/ui';
import { expect, test } from 'vitest';
import { stageCompleteness, toolCalls, totals } from '../src/session/totals';

const call = (input_tokens: number | null, cost_usd: number | null) => ({ type: 'llm', details: { input_tokens, output_tokens: input_tokens, cost_usd } });
const stage = (calls: object[], more: Partial<StageDetail> = {}): StageDetail => ({ chronological_interactions: calls, cost_completeness: null, cost_usd: null, ...more }) as StageDetail;

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
  expect(totals({ stages } as SessionDetail)).toMatchObject({ costUsd: 0.25, completeness: 'partial', inputTokens: 900 });
});

test('a list of tools is no call', () => {
  const of = (kind: string) => ({ type: 'mcp', details: { communication_type: kind } });
  expect(toolCalls([stage([of('tool_list'), of('tool_call')], { mcp_communication_count: 2 }), stage([], { mcp_communication_count: 3 })])).toBe(4);
});
