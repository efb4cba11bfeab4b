/** Bulk actions on sessions, one by one with progress. */
import {
  asApiError,
  byStage,
  cancelSession,
  updateTriage,
  exportSession,
  listSessions,
  replayStage,
  sessionDetail,
  type Query,
  type SessionLine,
} from '@tarsy/ui';

export interface Outcome {
  done: number;
  failed: { id: string; why: string }[];
}

/** Applies an action to each session. A failure does not stop the rest, unless the API does not know the action. */
export async function each(
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
  onProgress: (done: number) => void,
): Promise<Outcome> {
  const outcome: Outcome = { done: 0, failed: [] };
  for (const [at, id] of ids.entries()) {
    try {
      await act(id);
      outcome.done += 1;
    } catch (error) {
      const problem = asApiError(error);
      if (['absent', 'unauthorized', 'forbidden', 'unreachable'].includes(problem.kind)) throw problem;
      outcome.failed.push({ id, why: problem.message });
    }
    onProgress(at + 1);
  }
  return outcome;
}

export const isLive = (session: SessionLine): boolean =>
  session.status === 'pending' || session.status === 'in_progress';
export const isReplayable = (session: SessionLine): boolean => !isLive(session) && session.failed_stages > 0;

export const acknowledgeOne = async (id: string) => updateTriage(id, { acknowledged: true });
export const cancelOne = (reason: string) => async (id: string) => cancelSession(id, reason);

/** Replays the first failed stage of a session; later stages run again. */
export const replayOne = (reason: string) => async (id: string) => {
  const session = await sessionDetail(id);
  const failed = byStage(session.stages).find(({ branches }) =>
    branches.some(({ current }) => current.status === 'failed'),
  );
  if (failed === undefined) throw new Error('no failed stage');
  return replayStage(id, failed.index, reason);
};

/** Escapes a CSV cell so that no spreadsheet runs it as a formula. */
export function csvCell(value: string | number | null | undefined): string {
  const text = String(value ?? '');
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const CSV_COLUMNS = [
  'session_id',
  'alert_id',
  'alert_type',
  'chain_id',
  'status',
  'outcome',
  'verdict',
  'label',
  'severity',
  'source',
  'author',
  'started_at_us',
  'completed_at_us',
  'duration_ms',
  'total_stages',
  'completed_stages',
  'failed_stages',
  'input_tokens',
  'output_tokens',
  'cost_usd',
  'duplicate_count',
  'error_message',
] as const;

/** Writes the list as CSV. */
export const toCsv = (rows: readonly SessionLine[]): string =>
  [CSV_COLUMNS.join(','), ...rows.map((row) => CSV_COLUMNS.map((name) => csvCell(row[name])).join(','))].join('\r\n') +
  '\r\n';

/** Exports whole sessions as one file. */
export async function exportMany(
  ids: readonly string[],
  format: 'json' | 'md',
  onProgress: (done: number) => void,
): Promise<Blob> {
  const parts: string[] = [];
  for (const [at, id] of ids.entries()) {
    parts.push(await (await exportSession(id, format)).text());
    onProgress(at + 1);
  }
  return format === 'json'
    ? new Blob([`[${parts.join(',\n')}]\n`], { type: 'application/json' })
    : new Blob([parts.join('\n\n---\n\n')], { type: 'text/markdown' });
}

/** Maximum number of exported rows. */
export const MOST_LINES = 10_000;

/** Reads all sessions that match, up to the limit; `whole`: none was left out. */
export async function allLines(
  query: Query,
  onProgress: (read: number) => void,
): Promise<{ rows: SessionLine[]; whole: boolean }> {
  const rows: SessionLine[] = [];
  let cursor: string | null = null;
  do {
    const page = await listSessions({ ...query, cursor });
    rows.push(...page.sessions);
    cursor = page.pagination.next_cursor ?? null;
    onProgress(rows.length);
  } while (cursor !== null && rows.length < MOST_LINES);
  return { rows, whole: cursor === null };
}

/** Makes the browser download a file. */
export function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 1000);
}
