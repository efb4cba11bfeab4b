import { describe, expect, it } from 'vitest';
import { byStage, conversation, searchable } from '../src/session/conversation';
import { stageHandoffs } from '../src/session/stageHandoffs';
import { bars, layout, ticks } from '../src/session/waterfall';
import { llm, mcp, session, stage } from './fixture';

describe('conversation', () => {
  const first = [{ role: 'system', content: 'rules' }, { role: 'user', content: 'look' }];
  const events = conversation([
    llm('l1', 1, { messages: [...first, { role: 'assistant', content: 'Thought: x' }], response_text: 'Thought: x\nAction: s.t' }),
    mcp('m1', 2, { result: 'password: [MASKED_PASSWORD]', truncated: true }),
    llm('l2', 3, { messages: [...first, { role: 'assistant', content: 'Thought: x' }, { role: 'user', content: 'Observation: password' }, { role: 'user', content: 'Please conclude.' }, { role: 'assistant', content: 'Final Answer: y' }], response_text: 'Final Answer: y' }),
  ]);
  it('says everything once: prompts, answers, tools', () => {
    expect(events.map((event) => event.kind)).toEqual(['prompt', 'prompt', 'answer', 'tool', 'prompt', 'answer']);
    expect(events[4]).toMatchObject({ text: 'Please conclude.' });
  });
  it('tells what was masked and cut', () => { expect(events[3]).toMatchObject({ maskedTotal: 1, truncated: true, name: 's.t' }); });
  it('is searched in all that is shown', () => { expect(events.filter((event) => searchable(event).includes('MASKED')).length).toBe(1); });
});

describe('a conversation told by its new messages', () => {
  it('reads the same', () => {
    const events = conversation([
      llm('l1', 1, { new_messages: [{ role: 'system', content: 'rules' }, { role: 'user', content: 'look' }], response_text: 'Thought: x' }),
      llm('l2', 3, { new_messages: [{ role: 'assistant', content: 'Thought: x' }, { role: 'user', content: 'Observation: o' }, { role: 'user', content: 'Please conclude.' }], response_text: 'Final Answer: y' }),
    ]);
    expect(events.map((event) => event.kind)).toEqual(['prompt', 'prompt', 'answer', 'prompt', 'answer']);
    expect(events[3]).toMatchObject({ text: 'Please conclude.' });
  });
});

describe('attempts', () => {
  it('are grouped by stage, the last is current', () => {
    const groups = byStage([stage({ stage_index: 1, attempt: 1, execution_id: 'b' }), stage({ attempt: 2, execution_id: 'a2' }), stage({ attempt: 1, execution_id: 'a1' })]);
    expect(groups.map((group) => [group.index, group.current.execution_id, group.earlier.map((one) => one.execution_id)])).toEqual([[0, 'a2', ['a1']], [1, 'b', []]]);
  });
});

describe('waterfall', () => {
  it('runs on where a call has no end and its stage is active', () => {
    const all = bars([stage({ status: 'active', completed_at_us: null, chronological_interactions: [llm('l', 2_000_000, {}, null)] })], 9_000_000);
    expect(all.map((bar) => [bar.kind, bar.endUs, bar.running])).toEqual([['stage', 9_000_000, true], ['llm', 9_000_000, true]]);
  });
  it('does not stretch a call that its worker took along', () => {
    expect(bars([stage({ chronological_interactions: [mcp('m', 2_000_000, {}, null)] })], 9_000_000)[1]).toMatchObject({ endUs: 2_000_000, running: false });
  });
  it('stands a tool call below the model call that asked for it, within its attempt', () => {
    const stages = [
      stage({ chronological_interactions: [mcp('list', 1, { communication_type: 'tool_list', tool_name: null }), mcp('early', 2, {}), llm('l1', 3, {}), mcp('m1', 4, {}), mcp('m2', 5, {}), llm('l2', 6, {})] }),
      stage({ execution_id: 'e2', attempt: 2, chronological_interactions: [mcp('m3', 7, {}), llm('l3', 8, {}), mcp('list2', 9, { communication_type: 'tool_list' }), mcp('m4', 10, {})] }),
    ];
    expect(bars(stages, 0).map((bar) => `${String(bar.depth)} ${bar.id}`)).toEqual(['0 e1', '1 list', '1 early', '1 l1', '2 m1', '2 m2', '1 l2', '0 e2', '1 m3', '1 l3', '1 list2', '2 m4']);
  });
  it('takes waits between stages out and tells how much', () => {
    const stages = [stage(), stage({ execution_id: 'e2', stage_index: 1, started_at_us: 63_000_000, completed_at_us: 64_000_000 })];
    expect(layout(stages, 0, false)).toMatchObject({ toUs: 64_000_000, gaps: [] });
    expect(layout(stages, 0, true)).toMatchObject({ toUs: 4_000_000, gaps: [{ atUs: 3_000_000, lostUs: 60_000_000 }] });
  });
  it('has round ticks', () => { expect(ticks(10_800_000, 6)).toEqual([0, 2000, 4000, 6000, 8000, 10000]); });
});

describe('handover', () => {
  it('shows an error as what a failed stage hands on, and what was not started', () => {
    const { nodes, edges } = stageHandoffs(session({ status: 'in_progress', stages: [stage({ status: 'failed', stage_output: null, error_message: 'no model' })] }));
    expect(nodes.map((node) => node.status)).toEqual(['failed', 'not started']);
    expect(edges.map((edge) => [edge.from, edge.to, edge.text === null, edge.failed])).toEqual([['alert', 'collect', false, false], ['collect', 'report', false, true], ['report', 'answer', true, false]]);
  });
});
