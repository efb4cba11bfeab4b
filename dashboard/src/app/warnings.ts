/** What is wrong with the fleet as a whole, worst first. */
import { duration, plural, type Health, type Queue } from '@tarsy/ui';

export interface Warning { text: string; severe: boolean }

const ROLES: Record<string, string> = { 'chain-worker': 'No chain worker runs: accepted alerts wait.', 'stage-worker': 'No stage worker runs: no stage is worked on.' };

/** Pools whose jobs nobody will take, however long one waits. */
function unworked(queues: readonly Queue[]): Warning[] {
  return queues.filter((queue) => queue.queue.startsWith('stage:') && queue.workers === 0 && queue.ready > 0).map((queue) => ({
    text: `Nobody works pool ${queue.queue.slice('stage:'.length)}: ${plural(queue.ready, 'job')} wait${queue.ready === 1 ? 's' : ''}${queue.oldest_ready_seconds == null ? '' : `, the oldest for ${duration(queue.oldest_ready_seconds * 1000)}`}.`,
    severe: true,
  }));
}

/** Warnings out of the service's health and, where they are known, its queues. */
export function warnings(health: Health, queues: readonly Queue[] = []): Warning[] {
  const out: Warning[] = [];
  const { database, llm, queue } = health.services ?? {};
  if (database?.connected === false) out.push({ text: 'The database is away: nothing can be accepted or shown.', severe: true });
  if (llm?.provider_available === false) out.push({ text: 'No LLM provider is available: alerts are refused until one has a key.', severe: true });
  for (const { provider, class: kind, since_us: since } of llm?.refusing ?? []) {
    out.push({ text: `LLM provider ${provider} refuses every call (${kind}) since ${new Date(since / 1000).toLocaleString()}: analyses may fail.`, severe: true });
  }
  const workers = queue?.workers;
  if (workers !== undefined) {
    for (const [role, text] of Object.entries(ROLES)) {
      if ((workers[role] ?? 0) === 0) out.push({ text, severe: (queue?.ready ?? 0) > 0 });
    }
  }
  // Without any stage worker every pool is without one: told above.
  if (workers === undefined || (workers['stage-worker'] ?? 0) > 0) out.push(...unworked(queues));
  const paused = queue?.paused ?? [];
  if (paused.length > 0) out.push({ text: `Paused: ${paused.join(', ')}. Its jobs wait.`, severe: false });
  const dead = queue?.dead ?? 0;
  if (dead > 0) out.push({ text: `${plural(dead, 'dead job')} nobody will try again by itself.`, severe: false });
  return out;
}
