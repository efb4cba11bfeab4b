import { describe, expect, it } from 'vitest';
import { iterationLimit, iterationText } from '../src/session/iterations';

const configuration = {
  llm_providers: [], agents: [{ name: 'Collector', limits: { max_iterations: 4 } }, { name: 'Other', limits: {} }], settings: { limits: { max_iterations: 10 } },
};

describe('how far an agent is', () => {
  it('is told with its own limit, else the one of all', () => {
    expect([iterationLimit(configuration, 'Collector'), iterationLimit(configuration, 'ConfigurableAgent:Collector'), iterationLimit(configuration, 'Other'), iterationLimit(configuration, 'unknown')]).toEqual([4, 4, 10, 10]);
    expect(iterationLimit(undefined, 'Collector')).toBeNull();
  });
  it('is told without a limit where none is known or it is passed', () => {
    expect([iterationText(0, 10), iterationText(3, 10), iterationText(3, null), iterationText(11, 10)]).toEqual(['', 'iteration 3 of 10', 'iteration 3', 'iteration 11']);
  });
});
