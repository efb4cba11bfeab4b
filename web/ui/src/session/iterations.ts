/** Progress of an agent: its iteration, and the maximum that its configuration allows. */
import type { Configuration, StageDetail } from '../api/types';
import { useConfig } from '../api/queries';

const member = (value: unknown, name: string): unknown =>
  value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined;

/** Maximum number of iterations of an agent; null: unknown. */
export function iterationLimit(configuration: Configuration | undefined, agent: string): number | null {
  const bare = agent.replace(/^ConfigurableAgent:/, '');
  const agents = configuration?.agents;
  const own: unknown = Array.isArray(agents) ? agents.find((one: unknown) => member(one, 'name') === bare) : undefined;
  const limit =
    member(member(own, 'limits'), 'max_iterations') ??
    member(member(configuration?.settings, 'limits'), 'max_iterations');
  return typeof limit === 'number' ? limit : null;
}

/** Iteration of a running stage; 0 before the first call. */
export const currentIteration = (stage: Pick<StageDetail, 'chronological_interactions'>): number =>
  stage.chronological_interactions.at(-1)?.iteration ?? 0;

/** `iteration 3 of 10`; empty before the first. Omits the limit for the conclusion, which comes after the last one. */
export function iterationText(iteration: number, limit: number | null): string {
  if (iteration <= 0) return '';
  return limit === null || iteration > limit
    ? `iteration ${String(iteration)}`
    : `iteration ${String(iteration)} of ${String(limit)}`;
}

/**
 * Returns how much of a chain is done, in percent, like the API's `progress`. A running stage counts in part, by its
 * iterations.
 */
export function chainShare(stages: readonly StageDetail[], stageCount: number): number {
  const newest = new Map<string, StageDetail>();
  for (const stage of stages) {
    const place = `${String(stage.stage_index)} ${String(stage.branch)}`;
    if ((newest.get(place)?.attempt ?? 0) <= stage.attempt) newest.set(place, stage);
  }
  const done = [...newest.values()].map((stage) => {
    const iteration = currentIteration(stage);
    return (
      (['completed', 'failed', 'cancelled', 'skipped'].includes(stage.status) ? 1 : iteration / (iteration + 4)) /
      Math.max(1, stage.branch_count)
    );
  });
  return Math.min(99, Math.floor((100 * done.reduce((sum, one) => sum + one, 0)) / Math.max(1, stageCount) + 1e-6));
}

/** Returns the iteration limit of an agent from the API's configuration; null: unknown. */
export function useIterationLimit(agent: string | null): number | null {
  const { data } = useConfig({ retry: false, enabled: agent !== null });
  return agent === null ? null : iterationLimit(data, agent);
}
