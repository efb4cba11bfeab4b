/** A session and its record, read by parts: the first screen at once, a long rest behind it. */
import type { QueryClient } from '@tanstack/react-query';
import { prefetch } from '../api/prefetch';
import { detailPath, partPath, recordPart, sessionDetail } from '../api/sessions';
import type { Interaction, SessionDetail } from '../api/types';

/** A session with as much of its record as was read. */
export type ReadSession = SessionDetail & {
  /** Whether all of the record is here. */
  whole: boolean;
};

/** Interactions in the first part: more than a screen of them. */
const FIRST = 60;
/** In each further part; about two megabytes where tools say much. */
const FURTHER = 500;

/** Ask for a session and the first part of its record before anything else of the page is there. */
export function prefetchSession(id: string): void {
  prefetch(detailPath(id));
  prefetch(partPath(id, null, FIRST));
}

/** Every interaction that was read, in the order of the record: attempts as they were made. */
export function recordOf(session: SessionDetail | undefined): Interaction[] {
  const stages = session?.stages.toSorted((a, b) => a.created_at_us - b.created_at_us || a.stage_index - b.stage_index) ?? [];
  return stages.flatMap((stage) => stage.chronological_interactions);
}

/** Those that don't change any more: before the first whose call has not ended. */
export function completedPrefix(record: readonly Interaction[]): Interaction[] {
  const open = record.findIndex((interaction) => interaction.success == null);
  return record.slice(0, open === -1 ? undefined : open);
}

/** The session with these interactions where they belong. */
export function withRecord(frame: SessionDetail, record: readonly Interaction[], whole: boolean): ReadSession {
  const byStage = new Map<string, Interaction[]>();
  for (const interaction of record) {
    const list = byStage.get(interaction.stage_execution_id);
    if (list === undefined) byStage.set(interaction.stage_execution_id, [interaction]);
    else list.push(interaction);
  }
  const stages = frame.stages.map((stage) => ({ ...stage, chronological_interactions: byStage.get(stage.execution_id) ?? [] }));
  return { ...frame, stages, whole };
}

/** What was read anew, then what is known behind it and has not been reached yet. */
export function mergeRecords(anew: readonly Interaction[], known: readonly Interaction[]): Interaction[] {
  const ids = new Set(anew.map((interaction) => interaction.id));
  return [...anew, ...known.filter((interaction) => !ids.has(interaction.id))];
}

/** After what is known has been drawn, as far as anything is drawn: the rest does not stand in its way. */
async function shown(): Promise<void> {
  if (document.visibilityState !== 'visible') return;
  await new Promise((resolve) => { requestAnimationFrame(resolve); });
  await new Promise((resolve) => { setTimeout(resolve, 0); });
}

export const sessionKey = (id: string): readonly unknown[] => ['session', id];

/**
 * Reads a session; what is known of it already is kept, and only what came or changed since is read.
 * Each part is shown as soon as it is there.
 */
export function sessionQuery(queries: QueryClient, id: string) {
  const queryKey = sessionKey(id);
  return {
    queryKey,
    // Parts that are kept stay the same objects; comparing megabytes would find just that.
    structuralSharing: false,
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<ReadSession> => {
      const known = recordOf(queries.getQueryData<ReadSession>(queryKey));
      const anew = completedPrefix(known);
      const first = recordPart(id, anew.at(-1)?.id ?? null, known.length === 0 ? FIRST : FURTHER, signal);
      // Awaited below; until then a refusal of the frame tells more.
      first.catch(() => undefined);
      const frame = await sessionDetail(id, signal);
      const show = (): void => { if (!signal.aborted) queries.setQueryData(queryKey, withRecord(frame, mergeRecords(anew, known), false)); };
      if (known.length === 0) show();
      let part = await first;
      anew.push(...part.interactions);
      while (part.more) {
        show();
        await shown();
        part = await recordPart(id, anew.at(-1)?.id ?? null, FURTHER, signal);
        anew.push(...part.interactions);
      }
      return withRecord(frame, anew, true);
    },
  } as const;
}
