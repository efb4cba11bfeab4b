/** Data handed from stage to stage. */
import type { SessionDetail, StageDetail } from '../api/types';
import { byStage } from './conversation';

export interface Handoff {
  from: string;
  to: string;
  /** None: the stage has not ended. */
  text: string | null;
  /** Whether the stage failed; its error is handed on as data. */
  failed: boolean;
  dataPoints: number;
  toolCalls: number;
  bytes: number;
}

export interface ChainNode { name: string; status: string; agent: string; execution: string | null }

/** Nodes of the chain and what was handed along each edge. */
export function stageHandoffs(session: SessionDetail): { nodes: ChainNode[]; edges: Handoff[] } {
  const begun = byStage(session.stages);
  const planned = session.chain_definition.stages ?? [];
  const nodes = planned.map((stage, index): ChainNode => {
    const found = begun.find((group) => group.index === index)?.current;
    return { name: stage.name, agent: found?.agent ?? stage.agent, status: found?.status ?? 'not started', execution: found?.execution_id ?? null };
  });
  const first: Handoff = { from: 'alert', to: nodes[0]?.name ?? '', text: JSON.stringify(session.alert_data), failed: false, dataPoints: 0, toolCalls: 0, bytes: JSON.stringify(session.alert_data).length };
  const rest = nodes.map((node, index): Handoff => {
    const stage = begun.find((group) => group.index === index)?.current;
    return { from: node.name, to: nodes[index + 1]?.name ?? 'answer', ...outputOf(stage) };
  });
  return { nodes, edges: [first, ...rest] };
}

function outputOf(stage: StageDetail | undefined): Omit<Handoff, 'from' | 'to'> {
  const nothing = { text: null, failed: false, dataPoints: 0, toolCalls: 0, bytes: 0 };
  if (stage === undefined) return nothing;
  const output = stage.stage_output;
  if (stage.status === 'failed') {
    const text = stage.error_message ?? output?.error ?? 'failed';
    return { ...nothing, text, failed: true, bytes: text.length };
  }
  const text = output?.result ?? null;
  return { text, failed: false, dataPoints: output?.data_points ?? 0, toolCalls: output?.tool_calls ?? 0, bytes: text?.length ?? 0 };
}
