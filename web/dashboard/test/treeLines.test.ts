import { expect, it } from 'vitest';
import { llm, mcp, stage } from '../../ui/test/fixture';
import { treeCalls, treeLines } from '../src/session/treeLines';

const shown = (lines: ReturnType<typeof treeLines>): string[] =>
  lines.map(
    ({ depth, label, status, execution }) => `${String(depth)} ${label} ${status}${execution === null ? ' +' : ''}`,
  );

it('the record is a tree of stages, branches and attempts; a stage that ran once is one line', () => {
  const branch = { stage_index: 1, stage_name: 'evidence', branch_count: 2 };
  const lines = treeLines([
    stage({ execution_id: 'a', stage_name: 'triage' }),
    stage({ ...branch, execution_id: 'b', branch: 0, branch_name: 'logs', attempt: 1 }),
    stage({
      ...branch,
      execution_id: 'c',
      branch: 1,
      branch_name: 'nodes',
      attempt: 2,
      status: 'failed',
      is_current: false,
    }),
    stage({ ...branch, execution_id: 'd', branch: 1, branch_name: 'nodes', attempt: 3 }),
  ]);
  expect(shown(lines)).toEqual([
    '0 1. triage completed',
    '0 2. evidence completed +',
    '1 logs completed',
    '1 nodes completed +',
    '2 attempt 1 failed',
    '2 attempt 2 completed',
  ]);
  expect(lines.map(({ id }) => id)).toEqual(['a', 'b', 'b', 'd', 'c', 'd']);
});

it('the calls of an execution are those of models and tools, by what they did', () => {
  const calls = treeCalls(
    stage({
      chronological_interactions: [
        llm('l1', 1, {}),
        mcp('m1', 2, { result: 'x' }),
        mcp('m2', 3, { communication_type: 'tool_list' }),
      ],
    }),
  );
  expect(calls.map(({ id, kind }) => [id, kind])).toEqual([
    ['l1', 'answer'],
    ['m1', 'tool'],
  ]);
});
