/** A session's stages: stage > branch > attempt. */
import type { StageDetail } from '../api/types';

/** A branch of a stage, with its attempts. A stage without branches has exactly one. */
export interface Branch {
  /** Null in a stage without branches. */
  name: string | null;
  current: StageDetail;
  /** Earlier attempts, oldest first. */
  earlier: StageDetail[];
}

export interface Stage {
  index: number;
  name: string;
  /** At least one, in the order of their numbers. */
  branches: [Branch, ...Branch[]];
  /** Status of an open branch if there is one, else the common status, or `partial` if branches ended differently. */
  status: string;
}

/** Statuses of a stage that has not ended, in the order of precedence. */
const OPEN = ['active', 'waiting', 'pending'];

function statusOf(branches: readonly Branch[]): string {
  const statuses = new Set(branches.map(({ current }) => current.status as string));
  const open = OPEN.find((status) => statuses.has(status));
  return open ?? (statuses.size === 1 ? [...statuses].join('') : 'partial');
}

function grouped<T>(items: readonly T[], key: (item: T) => number): [number, [T, ...T[]]][] {
  const groups = new Map<number, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return [...groups].sort(([a], [b]) => a - b);
}

function branchOf(runs: [StageDetail, ...StageDetail[]], isOnly: boolean): Branch {
  const sorted = runs.toSorted((a, b) => a.attempt - b.attempt);
  const current = sorted.at(-1) ?? runs[0];
  const name = current.branch_name ?? `branch ${String(current.branch + 1)}`;
  return { name: isOnly && current.branch_count <= 1 ? null : name, current, earlier: sorted.slice(0, -1) };
}

/**
 * Groups the executions of a session by stage and branch, in chain order. Leaves out a branch that a later run of its
 * stage no longer has.
 */
export function byStage(stages: readonly StageDetail[]): Stage[] {
  return grouped(stages, (stage) => stage.stage_index).map(([index, runs]): Stage => {
    const perBranch = grouped(runs, (stage) => stage.branch);
    const all = perBranch.map(([, own]) => branchOf(own, perBranch.length === 1));
    const kept = all.filter(({ current }) => current.is_current);
    const [first = branchOf(runs, true), ...rest] = kept.length > 0 ? kept : all;
    const branches: [Branch, ...Branch[]] = [first, ...rest];
    return { index, name: first.current.stage_name, branches, status: statusOf(branches) };
  });
}

/** Number of an execution among the attempts of its branch, from 1. `attempt` counts the runs of all branches. */
export const attemptNumber = (stage: StageDetail, stages: readonly StageDetail[]): number =>
  stages.filter(
    (other) =>
      other.stage_index === stage.stage_index && other.branch === stage.branch && other.attempt <= stage.attempt,
  ).length;

/**
 * Name of an execution, e.g. `evidence / logs (attempt 2)`: its stage, its branch if there are several, and its attempt
 * after the first.
 */
export function executionName(stage: StageDetail, stages: readonly StageDetail[]): string {
  const number = attemptNumber(stage, stages);
  const branch = stage.branch_count > 1 ? ` / ${stage.branch_name ?? `branch ${String(stage.branch + 1)}`}` : '';
  return `${stage.stage_name}${branch}${number > 1 ? ` (attempt ${String(number)})` : ''}`;
}
