/** Replays of a session's stages, from the audit log. */
import { replaysOf, type AuditEntry, type SessionDetail, type StageDetail } from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';

const text = (entry: AuditEntry, name: string): string | null => {
  const value = (entry.details as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : null;
};
const indexOf = (entry: AuditEntry): number => Number((entry.details as Record<string, unknown>).stage_index);

/**
 * Finds the replay that started an attempt: the replay of its stage, or the last one of an earlier stage. `entries` are
 * newest first.
 */
export function replayOf(stage: StageDetail, entries: readonly AuditEntry[]): AuditEntry | undefined {
  if (stage.attempt === 1) return undefined;
  return (
    entries.find((entry) => text(entry, 'execution_id') === stage.execution_id) ??
    entries.find((entry) => indexOf(entry) < stage.stage_index && entry.at_us <= stage.created_at_us)
  );
}

/** One-line summary of a replay, with its changes for this stage. Only the provider can also apply to later stages. */
export function replaySummary(entry: AuditEntry, stage: StageDetail): string {
  const isLater = indexOf(entry) < stage.stage_index;
  const holds = !isLater || (entry.details as Record<string, unknown>).later_stages === true;
  const otherwise = [
    ...(holds ? [['llm_provider', 'provider']] : []),
    ...(isLater ? [] : [['iteration_strategy', 'strategy']]),
  ].flatMap(([name = '', word = '']) => {
    const value = text(entry, name);
    return value === null ? [] : [`${word} ${value}`];
  });
  return `Replayed by ${entry.actor}${otherwise.length === 0 ? '' : ` with ${otherwise.join(', ')}`}: ${entry.reason}`;
}

/** Audit entries of a session's replays; null while they are loading. Empty without replays or without permission. */
export function useReplays(session: SessionDetail): readonly AuditEntry[] | null {
  const attempts = session.stages.reduce((most, stage) => Math.max(most, stage.attempt), 1);
  const { data, isLoading } = useQuery({
    queryKey: ['replays', session.session_id, attempts],
    queryFn: async ({ signal }) => replaysOf(session.session_id, signal),
    enabled: attempts > 1,
    staleTime: 60_000,
    retry: false,
  });
  return data ?? (isLoading ? null : []);
}
