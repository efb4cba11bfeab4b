/** How a provider or an MCP server stands, told by its configuration and its last calls. */
import type { CallFigures, LlmProvider, McpServer, Tone } from '@tarsy/ui';

export interface Standing { tone: Tone; label: string; why: string }

function byCalls(calls: CallFigures | null | undefined): Standing {
  if (calls == null) return { tone: 'rest', label: 'not called', why: 'Not among the newest calls.' };
  const { last_failure_us: failure, last_success_us: success } = calls;
  if (failure != null && (success == null || failure > success)) return { tone: 'bad', label: 'failing', why: 'Its last call failed.' };
  if (calls.failed > 0) return { tone: 'warn', label: 'unsteady', why: 'Calls of the last hour failed; the last one worked.' };
  if (calls.calls > 0) return { tone: 'good', label: 'working', why: 'Every call of the last hour that ended worked.' };
  return { tone: 'rest', label: 'idle', why: 'No call in the last hour; the last one worked.' };
}

function unavailable({ type, api_key_env: key }: NonNullable<LlmProvider['configured']>): Standing {
  if (type === 'ollama') return { tone: 'rest', label: 'no address', why: 'It has no `base_url`, so it can’t be asked.' };
  if (type === 'scripted') return { tone: 'rest', label: 'no script', why: 'It has no `script` to play.' };
  return { tone: 'rest', label: 'no key', why: `${key ?? 'Its key'} is not set, so it can’t be asked.` };
}

export function providerStanding({ configured, calls }: LlmProvider): Standing {
  if (configured == null) return { tone: 'rest', label: 'gone', why: 'It is not configured any more.' };
  if (!configured.available) return unavailable(configured);
  return byCalls(calls);
}

export function serverStanding({ name, configured, calls }: McpServer): Standing {
  if (configured == null && name !== OWN) return { tone: 'rest', label: 'gone', why: 'It is not configured any more.' };
  if (configured?.enabled === false) return { tone: 'rest', label: 'disabled', why: 'Its configuration says `enabled: false`.' };
  return byCalls(calls);
}

/** The server of the fleet's own tools. */
export const OWN = 'tarsy';

const RANK: Record<Tone, number> = { bad: 0, warn: 1, run: 2, good: 2, rest: 3 };

/** Those that need somebody first, then the busiest. */
export function inOrder<T extends { name: string; calls?: CallFigures | null }>(all: readonly T[], standing: (one: T) => Standing): { one: T; standing: Standing }[] {
  return all.map((one) => ({ one, standing: standing(one) }))
    .sort((a, b) => RANK[a.standing.tone] - RANK[b.standing.tone] || (b.one.calls?.calls ?? 0) - (a.one.calls?.calls ?? 0) || a.one.name.localeCompare(b.one.name));
}
