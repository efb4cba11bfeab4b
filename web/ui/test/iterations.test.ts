import { describe, expect, it } from 'vitest';
import type { StageDetail } from '../src/api/types';
import { chainShare, iterationLimit, iterationText } from '../src/session/iterations';

const configuration = {
  llm_providers: [],
  agents: [
    { name: 'Collector', limits: { max_iterations: 4 } },
    { name: 'Other', limits: {} },
  ],
  settings: { limits: { max_iterations: 10 } },
};

describe('how far a chain is', () => {
  const stage = (more: object, iterations: number[] = []): StageDetail =>
    ({
      stage_index: 0,
      attempt: 1,
      branch: 0,
      branch_count: 1,
      status: 'active',
      chronological_interactions: iterations.map((iteration) => ({ iteration })),
      ...more,
    }) as unknown as StageDetail;
  it('moves with each iteration of a stage that runs, and is whole only at the end', () => {
    expect([
      chainShare([], 1),
      chainShare([stage({})], 1),
      chainShare([stage({}, [1])], 1),
      chainShare([stage({}, [1, 2])], 1),
    ]).toEqual([0, 0, 20, 33]);
    expect(chainShare([stage({ status: 'completed' }, [1, 2])], 1)).toBe(99);
    expect(chainShare([stage({ status: 'failed' }), stage({ stage_index: 1 }, [1])], 2)).toBe(60);
  });
  it('counts the branches of a stage together, and the newest attempt alone', () => {
    expect(
      chainShare(
        [stage({ branch: 0, branch_count: 2, status: 'completed' }), stage({ branch: 1, branch_count: 2 }, [1])],
        1,
      ),
    ).toBe(60);
    expect(chainShare([stage({ status: 'failed' }), stage({ attempt: 2 }, [1])], 1)).toBe(20);
  });
});

describe('how far an agent is', () => {
  it('is told with its own limit, else the one of all', () => {
    expect([
      iterationLimit(configuration, 'Collector'),
      iterationLimit(configuration, 'ConfigurableAgent:Collector'),
      iterationLimit(configuration, 'Other'),
      iterationLimit(configuration, 'unknown'),
    ]).toEqual([4, 4, 10, 10]);
    expect(iterationLimit(undefined, 'Collector')).toBeNull();
  });
  it('is told without a limit where none is known or it is passed', () => {
    expect([iterationText(0, 10), iterationText(3, 10), iterationText(3, null), iterationText(11, 10)]).toEqual([
      '',
      'iteration 3 of 10',
      'iteration 3',
      'iteration 11',
    ]);
  });
});
