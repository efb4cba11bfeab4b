/** Warnings about the fleet, worst first. */
import { formatAbsolute, formatDuration, pluralize, type Health, type Prefs, type Queue } from '@tarsy/ui';

export interface Warning {
  text: string;
  severe: boolean;
  /** Whether the setup page explains what to do. */
  isSetup?: boolean;
}

const ROLES: Record<string, string> = {
  'chain-worker': 'No chain worker is running. Accepted alerts are queued.',
  'stage-worker': 'No stage worker is running. Stages are queued.',
};

/** Pools with ready jobs and no workers. */
function unworked(queues: readonly Queue[]): Warning[] {
  return queues
    .filter((queue) => queue.queue.startsWith('stage:') && queue.workers === 0 && queue.ready > 0)
    .map((queue) => ({
      text: `Pool ${queue.queue.slice('stage:'.length)} has no workers: ${pluralize(queue.ready, 'job')} waiting${queue.oldest_ready_seconds == null ? '' : `, oldest ${formatDuration(queue.oldest_ready_seconds * 1000)}`}.`,
      severe: true,
    }));
}

/** Warnings from health and queues. */
export function warnings(health: Health, queues: readonly Queue[] = [], zone: Prefs['zone'] = 'local'): Warning[] {
  const out: Warning[] = [];
  const { database, history_replica: replica, llm, mcp, queue } = health.services ?? {};
  if (database?.connected === false)
    out.push({ text: 'The database is unreachable. Alerts cannot be accepted or shown.', severe: true });
  if (replica?.status === 'behind')
    out.push({
      text: `The history replica is ${formatDuration(replica.lag_seconds * 1000)} behind. History is read from the primary.`,
      severe: false,
    });
  if (replica?.status === 'unavailable')
    out.push({
      text: `The history replica is unavailable (${replica.message ?? 'no reason given'}). History is read from the primary.`,
      severe: false,
    });
  if (llm?.provider_available === false)
    out.push({
      text: 'No LLM provider is available. Alerts are rejected until a provider has an API key.',
      severe: true,
      isSetup: true,
    });
  for (const { provider, class: kind, since_us: since } of llm?.refusing ?? []) {
    out.push({
      text: `LLM provider ${provider} has failed every call since ${formatAbsolute(since, zone)} (${kind}). Investigations may fail.`,
      severe: true,
    });
  }
  // An older API does not report the last try.
  for (const { server, since_us: since, last_tried_us: last } of mcp?.unreachable ?? []) {
    const tried = last === undefined ? '' : ` (last tried ${formatAbsolute(last, zone).slice(11, 19)})`;
    out.push({
      text: `MCP server ${server} could not be reached since ${formatAbsolute(since, zone)}${tried}. Investigations run without it until a call succeeds.`,
      severe: false,
    });
  }
  const workers = queue?.workers;
  if (workers !== undefined) {
    for (const [role, text] of Object.entries(ROLES)) {
      if ((workers[role] ?? 0) === 0) out.push({ text, severe: (queue?.ready ?? 0) > 0 });
    }
  }
  for (const [role, number] of Object.entries(queue?.workers_not_answering ?? {})) {
    out.push({
      text: `${pluralize(number, role.replace('-', ' '))} not answering for 15 seconds or more. Work is taken over when leases expire.`,
      severe: (workers?.[role] ?? 0) === 0,
    });
  }
  // If there is no stage worker at all, a warning above covers every pool.
  if (workers === undefined || (workers['stage-worker'] ?? 0) > 0) out.push(...unworked(queues));
  const paused = queue?.paused ?? [];
  if (paused.length > 0)
    out.push({ text: `Paused queues: ${paused.join(', ')}. Their jobs are waiting.`, severe: false });
  const dead = queue?.dead ?? 0;
  if (dead > 0) out.push({ text: `${pluralize(dead, 'dead job')} will not be retried automatically.`, severe: false });
  return out;
}
