/** Query for a session and its record. The record is loaded in parts, the first screen first. */
import type { QueryClient } from '@tanstack/react-query';
import { prefetch } from '../api/prefetch';
import { detailPath, partPath, recordPart, sessionDetail } from '../api/sessions';
import type { Interaction, SessionDetail } from '../api/types';
import { isRecordInView } from './recordInView';

/** Session with the loaded part of its record. */
export type ReadSession = SessionDetail & {
  /** Whether the record is complete. */
  whole: boolean;
};

/** Interactions in the first part. */
const FIRST = 60;
/** Maximum wait for the page to become idle, in milliseconds. */
const IDLE_MS = 1000;
/** Interactions in each further part. */
const FURTHER = 500;

/** Starts loading a session, and the first part of its record if that is in view. */
export function prefetchSession(id: string): void {
  prefetch(detailPath(id));
  if (isRecordInView()) prefetch(partPath(id, null, FIRST));
}

/** All loaded interactions in order. */
export function recordOf(session: SessionDetail | undefined): Interaction[] {
  const stages =
    session?.stages.toSorted((a, b) => a.created_at_us - b.created_at_us || a.stage_index - b.stage_index) ?? [];
  return stages.flatMap((stage) => stage.chronological_interactions);
}

/** Interactions before the first open call. */
export function completedPrefix(record: readonly Interaction[]): Interaction[] {
  const open = record.findIndex((interaction) => interaction.success == null);
  return record.slice(0, open === -1 ? undefined : open);
}

/** Session with interactions assigned to their stages. */
export function withRecord(frame: SessionDetail, record: readonly Interaction[], whole: boolean): ReadSession {
  const byStage = new Map<string, Interaction[]>();
  for (const interaction of record) {
    const list = byStage.get(interaction.stage_execution_id);
    if (list === undefined) byStage.set(interaction.stage_execution_id, [interaction]);
    else list.push(interaction);
  }
  const stages = frame.stages.map((stage) => ({
    ...stage,
    chronological_interactions: byStage.get(stage.execution_id) ?? [],
  }));
  return { ...frame, stages, whole };
}

/** Joins refetched interactions with the known ones that were not refetched yet. */
export function mergeRecords(anew: readonly Interaction[], known: readonly Interaction[]): Interaction[] {
  const ids = new Set(anew.map((interaction) => interaction.id));
  return [...anew, ...known.filter((interaction) => !ids.has(interaction.id))];
}

/** Resolves when the page is idle, so that rendering in progress comes first. */
async function idle(): Promise<void> {
  // Safari has no `requestIdleCallback` yet.
  await new Promise((resolve) => {
    if ('requestIdleCallback' in window) window.requestIdleCallback(resolve, { timeout: IDLE_MS });
    else setTimeout(resolve, IDLE_MS / 5);
  });
}

/** Resolves after the next paint, so that loading the rest does not delay it. */
async function shown(): Promise<void> {
  if (document.visibilityState !== 'visible') return;
  await new Promise((resolve) => {
    requestAnimationFrame(resolve);
  });
  await new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

export const sessionKey = (id: string): readonly unknown[] => ['session', id];

/**
 * Returns the query that reads a session and its record. It keeps known calls up to the first open one, and reads the
 * rest. Each part is shown as soon as it arrives.
 *
 * @param after is awaited before a record that is out of view is read
 */
export function sessionQuery(queries: QueryClient, id: string, after?: (id: string) => Promise<void>) {
  const queryKey = sessionKey(id);
  return {
    queryKey,
    // Kept parts stay the same objects, so a structural comparison of megabytes would gain nothing.
    structuralSharing: false,
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<ReadSession> => {
      const known = recordOf(queries.getQueryData<ReadSession>(queryKey));
      const anew = completedPrefix(known);
      const read = async () => recordPart(id, anew.at(-1)?.id ?? null, known.length === 0 ? FIRST : FURTHER, signal);
      const first = known.length > 0 || isRecordInView() ? read() : null;
      // Awaited below. If the request for the session fails too, its error is more helpful.
      first?.catch(() => undefined);
      const frame = await sessionDetail(id, signal);
      const show = (): void => {
        if (!signal.aborted) queries.setQueryData(queryKey, withRecord(frame, mergeRecords(anew, known), false));
      };
      if (known.length === 0) show();
      if (first === null) {
        await after?.(id);
        await idle();
      }
      let part = await (first ?? read());
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
