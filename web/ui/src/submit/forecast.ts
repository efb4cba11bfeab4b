/** Estimates chain, tools, duration and cost of an alert from recent sessions. */
import { listSessions, recordPart, sessionDetail } from '../api/sessions';
import type { DryRunResult, RunbookState, SessionDetail } from '../api/types';
import { formatBytes } from '../prefs/format';

export interface Forecast {
  /** Null: no session of this type yet. */
  chainId: string | null;
  stages: { name: string; agent: string }[];
  /** Tools used by the last session of this type. */
  tools: string[];
  /** Fetch of this runbook by the last session with it; null: none of the recent sessions has it. */
  runbook: { atUs: number; error: string | null } | null;
  /** Number of ended sessions of this type that the estimates are based on. */
  seen: number;
  medianMs: number | null;
  medianTokens: number | null;
  medianCostUsd: number | null;
  succeeded: number;
}

/** Number of interactions of the last session in which tools are searched. */
const LOOKED_AT = 200;
/** Number of recent sessions whose runbook fetch is read. */
const OPENED = 3;

/** Median of the known values. */
export function median(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value): value is number => typeof value === 'number').sort((a, b) => a - b);
  return known.length === 0 ? null : (known[Math.floor((known.length - 1) / 2)] ?? null);
}

/** Last fetch of a runbook by these sessions. */
export function fetchedBefore(runbook: string | null, sessions: readonly SessionDetail[]): Forecast['runbook'] {
  const one = sessions.find(
    (session) => session.runbook_url === runbook && (session.runbook_content != null || session.runbook_error != null),
  );
  return one === undefined || runbook === null ? null : { atUs: one.started_at_us, error: one.runbook_error ?? null };
}

/** Estimates from the last 20 sessions of the type. */
export async function forecast(alertType: string, runbook: string | null): Promise<Forecast> {
  const { sessions } = await listSessions({ alert_type: alertType, page_size: 20 });
  const ended = sessions.filter((session) => session.completed_at_us != null);
  const last = ended.find((session) => session.status === 'completed') ?? ended[0] ?? sessions[0];
  const newest = sessions.slice(0, OPENED).filter((session) => session !== last);
  const [detail, record, others] =
    last === undefined
      ? [null, null, []]
      : await Promise.all([
          sessionDetail(last.session_id),
          recordPart(last.session_id, null, LOOKED_AT),
          Promise.all(newest.map(async (session) => sessionDetail(session.session_id))),
        ]);
  const tools = new Set<string>();
  record?.interactions.forEach((interaction) => {
    if (interaction.type === 'mcp' && interaction.details.tool_name != null)
      tools.add(`${interaction.details.server_name}.${interaction.details.tool_name}`);
  });
  return {
    chainId: last?.chain_id ?? null,
    stages: detail?.chain_definition.stages ?? [],
    tools: [...tools].sort(),
    runbook: fetchedBefore(
      runbook,
      [...others, ...(detail === null ? [] : [detail])].sort((a, b) => b.started_at_us - a.started_at_us),
    ),
    seen: ended.length,
    medianMs: median(ended.map((session) => session.duration_ms)),
    medianTokens: median(
      ended.map((session) =>
        session.input_tokens == null ? null : session.input_tokens + (session.output_tokens ?? 0),
      ),
    ),
    medianCostUsd: median(ended.map((session) => session.cost_usd)),
    succeeded: ended.filter((session) => session.status === 'completed').length,
  };
}

/** Describes how long an identical alert counts as a duplicate. */
export function duplicateWindow(lasts: NonNullable<DryRunResult['duplicate_of']>['lasts']): string {
  switch (lasts) {
    case 'until_the_session_ends':
      return 'until it ends';
    case 'while_the_session_is_kept':
      return 'until it is deleted (same idempotency key)';
    case 'until_the_cooldown_ends':
      return 'suppressed until the cooldown of its chain is over';
    case 'while_it_is_flapping':
      return 'suppressed while the alert comes and goes';
  }
}

/** Label of a runbook check. */
export const runbookStatus = (state: RunbookState): string =>
  state.is_reachable
    ? `reachable, ${formatBytes(state.size ?? 0)}`
    : `failed to fetch: ${state.error ?? 'unknown error'}`;
