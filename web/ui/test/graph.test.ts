import { expect, it } from 'vitest';
import { branches, chainGraph } from '../src/session/graph';

const stage = (name: string, needs?: string[], more = {}) => ({
  name,
  agent: 'A',
  ...(needs === undefined ? {} : { needs }),
  ...more,
});

it('draws a chain without needs as a row', () => {
  const graph = chainGraph([stage('a'), stage('b'), stage('c')]);
  expect(graph.edges).toEqual([
    { from: 0, to: 1 },
    { from: 1, to: 2 },
  ]);
  expect(graph.nodes.map(({ column, row }) => [column, row])).toEqual([
    [0, 0],
    [1, 0],
    [2, 0],
  ]);
  expect(branches(graph)).toBe(false);
});

it('draws branches below each other, and what joins them behind the last', () => {
  const graph = chainGraph(
    [
      stage('a', []),
      stage('b', ['a']),
      stage('c', ['a'], { when: 'x' }),
      stage('d', ['b']),
      stage('e', ['c', 'd'], { join: 'any' }),
    ],
    new Map([
      [2, 'skipped'],
      [3, 'of a later version'],
    ]),
  );
  expect(graph.nodes.map(({ column, row }) => [column, row])).toEqual([
    [0, 0],
    [1, 0],
    [1, 1],
    [2, 0],
    [3, 0],
  ]);
  expect(graph.nodes.map(({ status }) => status)).toEqual([
    'not started',
    'not started',
    'skipped',
    'of a later version',
    'not started',
  ]);
  expect(graph.nodes[4]?.join).toBe('any');
  expect(branches(graph)).toBe(true);
});

it('draws what it does not know: a need that is no stage, no stages at all', () => {
  expect(chainGraph([stage('a', ['gone'])]).edges).toEqual([]);
  expect(chainGraph([])).toEqual({ nodes: [], edges: [], columns: 0, rows: 0 });
});
