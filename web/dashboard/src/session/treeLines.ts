/** The record as a tree: stage > branch > attempt > call. */
import {
  attemptNumber,
  byStage,
  conversation,
  type AnswerEvent,
  type Branch,
  type StageDetail,
  type ToolEvent,
} from '@tarsy/ui';

/** A line of the tree. Its `id` is the id of a row of the conversation. */
export interface TreeLine {
  id: string;
  /** 0 for a stage. */
  depth: number;
  label: string;
  status: string;
  /** The execution that the line represents; null: a stage or branch with several. */
  execution: StageDetail | null;
}

/** Maximum number of calls listed below an execution. */
export const MOST_CALLS = 100;

function attempts({ current, earlier }: Branch, stages: readonly StageDetail[], depth: number): TreeLine[] {
  if (earlier.length === 0) return [];
  return [...earlier, current].map((execution) => ({
    id: execution.execution_id,
    depth,
    label: `attempt ${String(attemptNumber(execution, stages))}`,
    status: execution.status,
    execution,
  }));
}

/** The lines of a session's stages, in the order of the chain. */
export function treeLines(stages: readonly StageDetail[]): TreeLine[] {
  return byStage(stages).flatMap(({ index, name, branches, status }): TreeLine[] => {
    const [first] = branches;
    const isOne = branches.length === 1;
    const stage: TreeLine = {
      id: first.current.execution_id,
      depth: 0,
      label: `${String(index + 1)}. ${name}`,
      status,
      execution: isOne && first.earlier.length === 0 ? first.current : null,
    };
    if (isOne) return [stage, ...attempts(first, stages, 1)];
    return [
      stage,
      ...branches.flatMap((branch): TreeLine[] => [
        {
          id: branch.current.execution_id,
          depth: 1,
          label: branch.name ?? branch.current.agent,
          status: branch.current.status,
          execution: branch.earlier.length === 0 ? branch.current : null,
        },
        ...attempts(branch, stages, 2),
      ]),
    ];
  });
}

/** The model and tool calls of an execution. */
export const treeCalls = ({ chronological_interactions: calls }: StageDetail): (AnswerEvent | ToolEvent)[] =>
  conversation(calls).filter((event) => event.kind === 'tool' || event.kind === 'answer');
