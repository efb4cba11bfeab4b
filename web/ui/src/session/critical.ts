/** Critical path of a session. */
import type { Bar } from './waterfall';

export interface CriticalPath {
  /** Ids of the calls on the critical path. */
  ids: ReadonlySet<string>;
  modelUs: number;
  toolUs: number;
  /** Time within stages, between calls. */
  agentUs: number;
  /** Time outside of all stages, waiting for a worker. */
  waitingUs: number;
}

/** Time covered by stages, from the first start to the last end. */
function covered(stages: readonly Bar[]): number {
  let reached = -Infinity;
  let sum = 0;
  for (const { startUs, endUs } of stages.toSorted((a, b) => a.startUs - b.startUs)) {
    sum += Math.max(0, endUs - Math.max(startUs, reached));
    reached = Math.max(reached, endUs);
  }
  return sum;
}

/** Computes the critical path through bars. Of parallel calls, the one that ends last is on it. */
export function criticalPath(bars: readonly Bar[]): CriticalPath {
  const stages = bars.filter((bar) => bar.depth === 0);
  const ids = new Set<string>();
  const spent = { llm: 0, mcp: 0 };
  let left = Infinity;
  // Latest end first. When a call is reached, each call that ended later is on the path, or no call waited for it.
  const calls = bars.filter((bar) => bar.depth > 0).sort((a, b) => b.endUs - a.endUs || a.startUs - b.startUs);
  for (const call of calls) {
    if (call.startUs >= left) continue;
    if (call.kind !== 'stage') spent[call.kind] += Math.min(call.endUs, left) - call.startUs;
    ids.add(call.id);
    left = call.startUs;
  }
  const under = covered(stages);
  const begin = stages.reduce((least, bar) => Math.min(least, bar.startUs), Infinity);
  const end = stages.reduce((most, bar) => Math.max(most, bar.endUs), -Infinity);
  return {
    ids,
    modelUs: spent.llm,
    toolUs: spent.mcp,
    agentUs: Math.max(0, under - spent.llm - spent.mcp),
    waitingUs: stages.length === 0 ? 0 : Math.max(0, end - begin - under),
  };
}
