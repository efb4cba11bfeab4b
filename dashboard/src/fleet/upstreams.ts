/** How a provider or an MCP server stands, told by its configuration and its last calls. */
import type { CallFigures, LlmProvider, McpServer, Tone } from '@tarsy/ui';

export interface Standing { tone: Tone; label: string; why: string }

function byCalls(calls: CallFigures | null | undefined): Standing {
  if (calls == null) return { tone: 'rest', label: 'unused', why: 'No recent calls.' };
  const { last_failure_us: failure, last_success_us: success } = calls;
  if (failure != null && (success == null || failure > success)) return { tone: 'bad', label: 'failing', why: 'The last call failed.' };
  if (calls.failed > 0) return { tone: 'warn', label: 'degraded', why: 'Some calls failed in the last hour. The last one succeeded.' };
  if (calls.calls > 0) return { tone: 'good', label: 'healthy', why: 'All calls in the last hour succeeded.' };
  return { tone: 'rest', label: 'idle', why: 'No calls in the last hour. The last one succeeded.' };
}

function unavailable({ type, api_key_env: key }: NonNullable<LlmProvider['configured']>): Standing {
  if (type === 'ollama') return { tone: 'rest', label: 'no base URL', why: '`base_url` is not set.' };
  if (type === 'scripted') return { tone: 'rest', label: 'no script', why: '`script` is not set.' };
  return { tone: 'rest', label: 'no API key', why: `${key ?? 'The API key'} is not set.` };
}

export function providerStanding({ configured, calls }: LlmProvider): Standing {
  if (configured == null) return { tone: 'rest', label: 'removed', why: 'No longer configured.' };
  if (!configured.available) return unavailable(configured);
  return byCalls(calls);
}

export function serverStanding({ name, configured, calls }: McpServer): Standing {
  if (configured == null && name !== OWN) return { tone: 'rest', label: 'removed', why: 'No longer configured.' };
  if (configured?.enabled === false) return { tone: 'rest', label: 'disabled', why: 'Disabled in the configuration (`enabled: false`).' };
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
