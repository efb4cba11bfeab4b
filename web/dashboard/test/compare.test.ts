import { describe, expect, it } from 'vitest';
import { llm, mcp, session, stage } from '../../ui/test/fixture';
import { calls, attemptMetrics, readPair, writePair } from '../src/session/compare/attempts';
import { diff, diffText, folded, type Line } from '../src/session/compare/diff';

const itself = (text: string): string => text;
const letters = (steps: ReturnType<typeof diff<string>>): string =>
  steps.map((step) => (step.kind === 'same' ? step.a : step.kind === 'gone' ? `-${step.a}` : `+${step.b}`)).join('');
const shown = (lines: Line[]): string[] =>
  lines.map(
    ({ kind, pieces }) => `${kind} ${pieces.map((piece) => (piece.changed ? `[${piece.text}]` : piece.text)).join('')}`,
  );

describe('what is different', () => {
  it('between lists is told in the fewest steps', () => {
    expect(letters(diff(Array.from('abcabba'), Array.from('cbabac'), itself)).replaceAll(/[a-c]/g, '').length).toBe(5);
    expect(letters(diff(Array.from('axbc'), Array.from('aybc'), itself))).toBe('a-x+ybc');
    expect(letters(diff([], ['x'], itself))).toBe('+x');
    expect(letters(diff(['x'], [], itself))).toBe('-x');
    expect(diff([], [], itself)).toEqual([]);
  });
  it('is enough to make each list out of the steps, whatever they are', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    for (let round = 0; round < 300; round += 1) {
      const [a, b] = [0, 0].map(() => Array.from({ length: random(14) }, () => 'abcd'[random(4)] ?? '')) as [
        string[],
        string[],
      ];
      const steps = diff(a, b, itself);
      expect(steps.flatMap((step) => (step.kind === 'new' ? [] : [step.a]))).toEqual(a);
      expect(steps.flatMap((step) => (step.kind === 'gone' ? [] : [step.b]))).toEqual(b);
      expect(steps.every((step) => step.kind !== 'same' || step.a === step.b)).toBe(true);
    }
  });
  it('between lists that have nothing in common ends soon, one after the other', () => {
    const [a, b] = [
      Array.from({ length: 5000 }, (_, n) => `a${String(n)}`),
      Array.from({ length: 5000 }, (_, n) => `b${String(n)}`),
    ];
    const steps = diff(['x', ...a, 'y'], ['x', ...b, 'y'], itself);
    expect(steps.map(({ kind }) => kind)).toEqual(['same', ...a.map(() => 'gone'), ...b.map(() => 'new'), 'same']);
  });
  it('between texts is told by the line, by the word where a line was only changed', () => {
    expect(
      shown(
        diffText(
          '# It was DNS\n\nThe resolver was down for an hour.',
          '# It was DNS\n\nThe resolver was slow for an hour.',
        ),
      ),
    ).toEqual([
      'same # It was DNS',
      'same ',
      'gone The resolver was [down] for an hour.',
      'new The resolver was [slow] for an hour.',
    ]);
    expect(shown(diffText('The disk is full.', 'Nobody knows why.'))).toEqual([
      'gone The disk is full.',
      'new Nobody knows why.',
    ]);
    expect(shown(diffText('one\ntwo', 'one\ntwo\nthree'))).toEqual(['same one', 'same two', 'new three']);
  });
  it('stands with a few lines around it; runs of the same are folded', () => {
    expect(folded(Array.from('aaaaXaaaa'), (one) => one === 'a', 1)).toEqual([
      ['a', 'a', 'a'],
      'a',
      'X',
      'a',
      ['a', 'a', 'a'],
    ]);
    expect(folded(Array.from('aaX'), (one) => one === 'a', 1)).toEqual(['a', 'a', 'X']);
  });
});

const attempt = (number: number, over: Parameters<typeof stage>[0] = {}) =>
  stage({ execution_id: `e${String(number)}`, attempt: number, ...over });

describe('attempts', () => {
  const ran = session({
    stages: [attempt(1), attempt(2), attempt(3), stage({ stage_index: 1, execution_id: 'once' })],
  });
  it('stand in the address; the last two where it names none', () => {
    const named = (word: string): number[] | undefined => {
      const pair = readPair(word, ran);
      return pair === null ? undefined : [pair.a.attempt, pair.b.attempt];
    };
    expect(named(writePair(0, 3, 1))).toEqual([3, 1]);
    expect(named('1')).toEqual([2, 3]);
    expect(named('1:1-9')).toEqual([1, 3]);
    expect(named('2')).toBeUndefined();
    expect(named('nonsense')).toBeUndefined();
  });
  it('are set beside each other by figures, with the change', () => {
    const a = attempt(1, {
      duration_ms: 4000,
      cost_usd: 0.5,
      chronological_interactions: [llm('l1', 1, { provider: 'p', model_name: 'small' })],
    });
    const b = attempt(2, {
      duration_ms: 2500,
      cost_usd: 0.75,
      output_tokens: 14,
      chronological_interactions: [llm('l2', 1, { provider: 'q', model_name: 'large', answered_by: 'large-2' })],
    });
    const of = (name: string): unknown => attemptMetrics(a, b).find((figure) => figure.name === name);
    expect(of('provider')).toEqual({ name: 'provider', a: 'p', b: 'q', change: 'differs' });
    expect(of('model')).toEqual({ name: 'model', a: 'small', b: 'large-2', change: 'differs' });
    expect(of('duration')).toEqual({ name: 'duration', a: '4.0\u00a0s', b: '2.5\u00a0s', change: '−1.5\u00a0s' });
    expect(of('output tokens')).toEqual({ name: 'output tokens', a: '2', b: '14', change: '+12' });
    expect(of('cost')).toEqual({ name: 'cost', a: '$0.50', b: '$0.75', change: '+$0.25' });
    expect(of('input tokens')).toMatchObject({ change: '' });
    const unpriced = attemptMetrics(a, { ...b, cost_completeness: 'none' }).find((figure) => figure.name === 'cost');
    expect(unpriced).toEqual({ name: 'cost', a: '$0.50', b: 'no price', change: '' });
  });
  it('share the calls of the same tool with the same arguments, in whatever order those stand', () => {
    const a = attempt(1, {
      chronological_interactions: [
        mcp('1', 1, { communication_type: 'tool_list' }),
        mcp('2', 2, { tool_name: 'get', parameters: { x: 1, y: 2 }, result: 'r' }),
        mcp('3', 3, { tool_name: 'log', parameters: { pod: 'p' }, result: 'old' }),
        mcp('4', 4, { tool_name: 'events' }),
      ],
    });
    const b = attempt(2, {
      chronological_interactions: [
        mcp('5', 1, { tool_name: 'get', parameters: { y: 2, x: 1 }, result: 'r' }),
        mcp('6', 2, { tool_name: 'log', parameters: { pod: 'p' }, result: 'new' }),
        mcp('7', 3, { tool_name: 'get', parameters: { x: 2 } }),
      ],
    });
    expect(
      calls(a, b).map((called) => [
        called.kind,
        'a' in called ? called.a.id : null,
        'b' in called ? called.b.id : null,
      ]),
    ).toEqual([
      ['same', '2', '5'],
      ['other', '3', '6'],
      ['gone', '4', null],
      ['new', null, '7'],
    ]);
  });
});
