/** Layout of a chain as a graph: columns of stages, edges from needs. */
import type { ChainStage, SessionDetail } from '../api/types';
import { byStage } from './stages';

export interface GraphNode {
  index: number;
  name: string;
  agent: string;
  /** `not started` if it has no attempt. */
  status: string;
  when: string | null;
  /** The stage's `join` if it has several needs and does not wait for all of them. */
  join: string | null;
  column: number;
  row: number;
}

export interface GraphEdge {
  from: number;
  to: number;
}

export interface ChainGraph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  columns: number;
  rows: number;
}

/** Returns the indexes of a stage's needs; without `needs`, the stage listed before. Leaves out unknown names. */
export function needsOf(stages: readonly ChainStage[], index: number): number[] {
  const { needs } = stages[index] ?? {};
  if (needs == null) return index === 0 ? [] : [index - 1];
  return needs.map((name) => stages.findIndex((stage) => stage.name === name)).filter((at) => at >= 0 && at < index);
}

/** Places each stage one column after its last need. `statuses` has the statuses of current attempts by stage index. */
export function chainGraph(
  stages: readonly ChainStage[],
  statuses: ReadonlyMap<number, string> = new Map(),
): ChainGraph {
  const taken: number[] = [];
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  for (const [index, stage] of stages.entries()) {
    const needs = needsOf(stages, index);
    const column = needs.reduce((most, need) => Math.max(most, (nodes[need]?.column ?? 0) + 1), 0);
    const row = taken[column] ?? 0;
    taken[column] = row + 1;
    const join = needs.length > 1 && stage.join != null && stage.join !== 'all' ? stage.join : null;
    nodes.push({
      index,
      name: stage.name,
      agent: stage.agent,
      status: statuses.get(index) ?? 'not started',
      when: stage.when ?? null,
      join,
      column,
      row,
    });
    edges.push(...needs.map((from) => ({ from, to: index })));
  }
  return { nodes, edges, columns: taken.length, rows: Math.max(0, ...taken) };
}

/** Returns the graph of a session's chain, with the status of each stage. */
export function sessionGraph(session: SessionDetail): ChainGraph {
  const current = byStage(session.stages).map(({ index, status }): [number, string] => [index, status]);
  return chainGraph(session.chain_definition.stages ?? [], new Map(current));
}

/** Whether a graph is more than a sequence of unconditional stages. */
export const branches = ({ edges, nodes }: ChainGraph): boolean =>
  nodes.some((node) => node.when !== null || node.status === 'skipped') ||
  edges.some(({ from, to }) => to !== from + 1) ||
  edges.length !== Math.max(0, nodes.length - 1);
