/** Data handed from stage to stage, along the edges of the chain's graph. */
import type { SessionDetail } from '../api/types';
import { needsOf } from './graph';
import { byStage, type Stage } from './stages';

export interface Handoff {
  from: string;
  to: string;
  /** Null: the stage has no output. */
  text: string | null;
  /** Status of the stage that hands on; an error is handed on as data. */
  status: string;
  dataPoints: number;
  bytes: number;
}

/** A stage of the chain, started or not. */
export interface ChainNode {
  name: string;
  status: string;
}

/** Returns the stages in chain order, with their statuses. */
export function chainNodes(session: SessionDetail): ChainNode[] {
  const begun = byStage(session.stages);
  const planned = session.chain_definition.stages ?? [];
  return planned.map(({ name }, index) => ({
    name,
    status: begun.find((stage) => stage.index === index)?.status ?? 'not started',
  }));
}

/**
 * Returns what was handed along each edge: from the alert to the first stages, between stages by `needs`, and to the
 * answer from the last stage that completed at least in part.
 */
export function stageHandoffs(session: SessionDetail): Handoff[] {
  const begun = byStage(session.stages);
  const planned = session.chain_definition.stages ?? [];
  const alert = JSON.stringify(session.alert_data);
  const edges = planned.flatMap(({ name }, index): Handoff[] => {
    const needs = needsOf(planned, index);
    if (needs.length === 0)
      return [{ from: 'alert', to: name, text: alert, status: 'completed', dataPoints: 0, bytes: alert.length }];
    return needs.map((need) => ({
      from: planned[need]?.name ?? '',
      to: name,
      ...outputOf(begun.find((stage) => stage.index === need)),
    }));
  });
  const last = begun.findLast(({ status }) => status === 'completed' || status === 'partial');
  const answer =
    session.final_analysis == null || last === undefined ? [] : [{ from: last.name, to: 'answer', ...outputOf(last) }];
  return [...edges, ...answer];
}

function outputOf(stage: Stage | undefined): Omit<Handoff, 'from' | 'to'> {
  const texts = (stage?.branches ?? []).flatMap(({ name, current }) => {
    const output = current.stage_output;
    const text = current.status === 'failed' ? (current.error_message ?? output?.error ?? 'failed') : output?.result;
    return text == null ? [] : [name === null ? text : `## ${name}\n\n${text}`];
  });
  const text = texts.length === 0 ? null : texts.join('\n\n');
  const dataPoints = (stage?.branches ?? []).reduce(
    (sum, { current }) => sum + (current.stage_output?.data_points ?? 0),
    0,
  );
  return { text, status: stage?.status ?? 'not started', dataPoints, bytes: text?.length ?? 0 };
}
