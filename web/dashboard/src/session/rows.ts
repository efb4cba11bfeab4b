/** Rows of a session's conversation. */
import {
  conversation,
  containsText,
  searchable,
  type SessionDetail,
  type StageDetail,
  type StageEvent,
} from '@tarsy/ui';

export type Row =
  | { kind: 'stage'; id: string; stage: StageDetail }
  | { kind: 'event'; id: string; stage: StageDetail; event: StageEvent };

/** Returns every stage execution with its events. Earlier attempts are in chronological order. */
export function conversationRows(session: SessionDetail): Row[] {
  const stages = session.stages.toSorted((a, b) => a.created_at_us - b.created_at_us || a.stage_index - b.stage_index);
  return stages.flatMap((stage): Row[] => [
    { kind: 'stage', id: stage.execution_id, stage },
    ...conversation(stage.chronological_interactions).map((event): Row => ({
      kind: 'event',
      id: event.id,
      stage,
      event,
    })),
  ]);
}

/** Indexes of the rows that contain a text. */
export function find(rows: readonly Row[], needle: string): number[] {
  if (needle === '') return [];
  return rows.flatMap((row, index) =>
    row.kind === 'event' && containsText(searchable(row.event), needle) ? [index] : [],
  );
}
