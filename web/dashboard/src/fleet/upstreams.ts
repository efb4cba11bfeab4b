/** Status of providers and MCP servers, from their configuration and recent calls. */
import type { CallFigures, LlmProvider, McpServer, Source, Tone } from '@tarsy/ui';

export interface HealthStatus {
  tone: Tone;
  label: string;
  why: string;
}

function byCalls(calls: CallFigures | null | undefined): HealthStatus {
  if (calls == null) return { tone: 'rest', label: 'unused', why: 'No recent calls.' };
  const { last_failure_us: failure, last_success_us: success } = calls;
  if (failure != null && (success == null || failure > success))
    return { tone: 'bad', label: 'failing', why: 'The last call failed.' };
  if (calls.failed > 0)
    return { tone: 'warn', label: 'degraded', why: 'Some calls failed in the last hour. The last one succeeded.' };
  if (calls.calls > 0) return { tone: 'good', label: 'healthy', why: 'All calls in the last hour succeeded.' };
  return { tone: 'rest', label: 'idle', why: 'No calls in the last hour. The last one succeeded.' };
}

function unavailable({ type, api_key_env: key }: NonNullable<LlmProvider['configured']>): HealthStatus {
  if (type === 'ollama') return { tone: 'rest', label: 'no base URL', why: 'base_url is not set.' };
  if (type === 'scripted') return { tone: 'rest', label: 'no script', why: 'script is not set.' };
  if (type === 'bedrock' || type === 'vertex' || type === 'azure_openai')
    return { tone: 'rest', label: 'not set up', why: 'Its key or its place in the cloud is not set.' };
  return { tone: 'rest', label: 'no API key', why: `${key ?? 'The API key'} is not set.` };
}

export function providerStatus({ configured, calls }: LlmProvider): HealthStatus {
  if (configured == null) return { tone: 'rest', label: 'removed', why: 'No longer configured.' };
  if (!configured.available) return unavailable(configured);
  return byCalls(calls);
}

export function serverStatus({ name, configured, calls }: McpServer): HealthStatus {
  if (configured == null && !BUILT_IN_SERVERS.has(name))
    return { tone: 'rest', label: 'removed', why: 'No longer configured.' };
  if (configured?.enabled === false)
    return { tone: 'rest', label: 'disabled', why: 'Disabled in the configuration (enabled: false).' };
  return byCalls(calls);
}

/** Status of an MCP server in one pool with this many workers. */
export function sourceStatus(source: Source, workers: number): HealthStatus {
  const { last_failure_us: failure, last_success_us: success } = source;
  if (failure != null && (success == null || failure > success))
    return { tone: 'bad', label: 'failing', why: 'The last call failed.' };
  if (workers > 0 && source.workers === 0 && !BUILT_IN_SERVERS.has(source.server))
    return { tone: 'rest', label: 'not offered', why: 'No worker of the pool has it in its configuration.' };
  if (source.workers > 0 && source.workers < workers)
    return { tone: 'warn', label: 'on some workers', why: 'Not every worker of the pool has it in its configuration.' };
  if (source.failed > 0)
    return { tone: 'warn', label: 'degraded', why: 'Some calls failed in the last hour. The last one succeeded.' };
  if (success == null) return { tone: 'rest', label: 'unused', why: 'No recent calls.' };
  return { tone: 'good', label: 'healthy', why: 'The last call succeeded.' };
}

/** Servers of built-in tools, which no configuration lists. */
export const BUILT_IN_SERVERS: ReadonlySet<string> = new Set(['tarsy', 'sub-agents']);

const RANK: Record<Tone, number> = { bad: 0, warn: 1, run: 2, good: 2, rest: 3 };

/** Sorts by severity of status, then by calls. */
export function sortByStatus<T extends { name: string; calls?: CallFigures | null }>(
  all: readonly T[],
  standing: (one: T) => HealthStatus,
): { one: T; standing: HealthStatus }[] {
  return all
    .map((one) => ({ one, standing: standing(one) }))
    .sort(
      (a, b) =>
        RANK[a.standing.tone] - RANK[b.standing.tone] ||
        (b.one.calls?.calls ?? 0) - (a.one.calls?.calls ?? 0) ||
        a.one.name.localeCompare(b.one.name),
    );
}
