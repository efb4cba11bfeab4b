import { describe, expect, it } from 'vitest';
import { conversation, searchable } from '../src/session/conversation';
import { chainNodes, stageHandoffs } from '../src/session/stageHandoffs';
import { attemptNumber, byStage, executionName } from '../src/session/stages';
import { bars, layout, ticks } from '../src/session/waterfall';
import type { StageDetail } from '../src/api/types';
import { llm, mcp, session, stage } from './fixture';

describe('conversation', () => {
  const first = [
    { role: 'system', content: 'rules' },
    { role: 'user', content: 'look' },
  ];
  const events = conversation([
    llm('l1', 1, {
      messages: [...first, { role: 'assistant', content: 'Thought: x' }],
      response_text: 'Thought: x\nAction: s.t',
    }),
    mcp('m1', 2, { result: 'password: [MASKED_PASSWORD]', truncated: true }),
    llm('l2', 3, {
      messages: [
        ...first,
        { role: 'assistant', content: 'Thought: x' },
        { role: 'user', content: 'Observation: password' },
        { role: 'user', content: 'Please conclude.' },
        { role: 'assistant', content: 'Final Answer: y' },
      ],
      response_text: 'Final Answer: y',
    }),
  ]);
  it('says everything once: prompts, answers, tools', () => {
    expect(events.map((event) => event.kind)).toEqual(['prompt', 'prompt', 'answer', 'tool', 'prompt', 'answer']);
    expect(events[4]).toMatchObject({ text: 'Please conclude.' });
  });
  it('tells what was masked and cut', () => {
    expect(events[3]).toMatchObject({ maskedTotal: 1, truncated: true, name: 's.t' });
  });
  it('is searched in all that is shown', () => {
    expect(events.filter((event) => searchable(event).includes('MASKED')).length).toBe(1);
  });
});

describe('a conversation told by its new messages', () => {
  it('reads the same', () => {
    const events = conversation([
      llm('l1', 1, {
        new_messages: [
          { role: 'system', content: 'rules' },
          { role: 'user', content: 'look' },
        ],
        response_text: 'Thought: x',
      }),
      llm('l2', 3, {
        new_messages: [
          { role: 'assistant', content: 'Thought: x' },
          { role: 'user', content: 'Observation: o' },
          { role: 'user', content: 'Please conclude.' },
        ],
        response_text: 'Final Answer: y',
      }),
    ]);
    expect(events.map((event) => event.kind)).toEqual(['prompt', 'prompt', 'answer', 'prompt', 'answer']);
    expect(events[3]).toMatchObject({ text: 'Please conclude.' });
  });
});

describe('attempts', () => {
  it('are grouped by stage, the last is current', () => {
    const groups = byStage([
      stage({ stage_index: 1, attempt: 1, execution_id: 'b' }),
      stage({ attempt: 2, execution_id: 'a2' }),
      stage({ attempt: 1, execution_id: 'a1' }),
    ]);
    expect(
      groups.map(({ index, branches: [one] }) => [
        index,
        one.name,
        one.current.execution_id,
        one.earlier.map((run) => run.execution_id),
      ]),
    ).toEqual([
      [0, null, 'a2', ['a1']],
      [1, null, 'b', []],
    ]);
  });
  it('are counted in each branch, which is no attempt of its neighbours', () => {
    const of = (branch: number, attempt: number, over: Partial<StageDetail> = {}): StageDetail =>
      stage({
        branch,
        attempt,
        branch_count: 2,
        branch_name: ['logs', 'metrics'][branch],
        execution_id: `${String(branch)}.${String(attempt)}`,
        ...over,
      });
    const runs = [of(0, 1), of(1, 2, { status: 'failed', is_current: false }), of(1, 3)];
    const [only] = byStage(runs);
    expect(only?.branches.map(({ name, current, earlier }) => [name, current.execution_id, earlier.length])).toEqual([
      ['logs', '0.1', 0],
      ['metrics', '1.3', 1],
    ]);
    expect(runs.map((run) => attemptNumber(run, runs))).toEqual([1, 1, 2]);
    expect(runs.map((run) => executionName(run, runs))).toEqual([
      'collect / logs',
      'collect / metrics',
      'collect / metrics (attempt 2)',
    ]);
  });
  it('give their stage one status', () => {
    const statuses = (...words: StageDetail['status'][]): string | undefined =>
      byStage(
        words.map((status, branch) => stage({ status, branch, attempt: branch + 1, branch_count: words.length })),
      )[0]?.status;
    expect(statuses('completed', 'completed')).toBe('completed');
    expect(statuses('completed', 'failed')).toBe('partial');
    expect(statuses('completed', 'failed', 'active')).toBe('active');
    expect(statuses('pending', 'waiting')).toBe('waiting');
  });
});

describe('waterfall', () => {
  it('runs on where a call has no end and its stage is active', () => {
    const all = bars(
      [stage({ status: 'active', completed_at_us: null, chronological_interactions: [llm('l', 2_000_000, {}, null)] })],
      9_000_000,
    );
    expect(all.map((bar) => [bar.kind, bar.endUs, bar.running])).toEqual([
      ['stage', 9_000_000, true],
      ['llm', 9_000_000, true],
    ]);
  });
  it('does not stretch a call that its worker took along', () => {
    expect(bars([stage({ chronological_interactions: [mcp('m', 2_000_000, {}, null)] })], 9_000_000)[1]).toMatchObject({
      endUs: 2_000_000,
      running: false,
    });
  });
  it('stands a tool call below the model call that asked for it, within its attempt', () => {
    const stages = [
      stage({
        chronological_interactions: [
          mcp('list', 1, { communication_type: 'tool_list', tool_name: null }),
          mcp('early', 2, {}),
          llm('l1', 3, {}),
          mcp('m1', 4, {}),
          mcp('m2', 5, {}),
          llm('l2', 6, {}),
        ],
      }),
      stage({
        execution_id: 'e2',
        attempt: 2,
        chronological_interactions: [
          mcp('m3', 7, {}),
          llm('l3', 8, {}),
          mcp('list2', 9, { communication_type: 'tool_list' }),
          mcp('m4', 10, {}),
        ],
      }),
    ];
    expect(bars(stages, 0).map((bar) => `${String(bar.depth)} ${bar.id}`)).toEqual([
      '0 e1',
      '1 list',
      '1 early',
      '1 l1',
      '2 m1',
      '2 m2',
      '1 l2',
      '0 e2',
      '1 m3',
      '1 l3',
      '1 list2',
      '2 m4',
    ]);
  });
  it('takes waits between stages out and tells how much', () => {
    const stages = [
      stage(),
      stage({ execution_id: 'e2', stage_index: 1, started_at_us: 63_000_000, completed_at_us: 64_000_000 }),
    ];
    expect(layout(stages, 0, false)).toMatchObject({ toUs: 64_000_000, gaps: [] });
    expect(layout(stages, 0, true)).toMatchObject({ toUs: 4_000_000, gaps: [{ atUs: 3_000_000, lostUs: 60_000_000 }] });
  });
  it('has round ticks', () => {
    expect(ticks(10_800_000, 6)).toEqual([0, 2000, 4000, 6000, 8000, 10000]);
  });
});

describe('handover', () => {
  it('shows an error as what a failed stage hands on, and what was not started', () => {
    const running = session({
      status: 'in_progress',
      final_analysis: null,
      stages: [stage({ status: 'failed', stage_output: null, error_message: 'no model' })],
    });
    expect(chainNodes(running).map((node) => node.status)).toEqual(['failed', 'not started']);
    expect(stageHandoffs(running).map(({ from, to, text, status }) => [from, to, text === null, status])).toEqual([
      ['alert', 'collect', false, 'completed'],
      ['collect', 'report', false, 'failed'],
    ]);
  });
  it('goes along the needs of the chain, with all branches of a stage', () => {
    const stages = [
      { name: 'triage', agent: 'A' },
      { name: 'evidence', agent: 'B', needs: ['triage'] },
      { name: 'nodes', agent: 'C', needs: ['triage'] },
      { name: 'report', agent: 'D', needs: ['evidence'] },
    ];
    const branch = (at: number): StageDetail =>
      stage({
        stage_index: 1,
        stage_name: 'evidence',
        branch: at,
        branch_count: 2,
        attempt: at + 1,
        stage_output: { result: `found ${String(at)}` },
      });
    const done = session({
      chain_definition: { stages },
      stages: [
        stage({ stage_name: 'triage' }),
        branch(0),
        branch(1),
        stage({ stage_index: 2, stage_name: 'nodes', status: 'skipped', stage_output: null }),
        stage({ stage_index: 3, stage_name: 'report' }),
      ],
    });
    expect(stageHandoffs(done).map(({ from, to }) => `${from} > ${to}`)).toEqual([
      'alert > triage',
      'triage > evidence',
      'triage > nodes',
      'evidence > report',
      'report > answer',
    ]);
    expect(stageHandoffs(done)[3]?.text).toBe('## branch 1\n\nfound 0\n\n## branch 2\n\nfound 1');
  });
});
