/** What is wrong with the fleet as a whole, worst first. */
import { plural, type Health } from '@tarsy/ui';

export interface Warning { text: string; severe: boolean }

const ROLES: Record<string, string> = { 'chain-worker': 'No chain worker runs: accepted alerts wait.', 'stage-worker': 'No stage worker runs: no stage is worked on.' };

export function warnings(health: Health): Warning[] {
  const out: Warning[] = [];
  const { database, llm, queue } = health.services ?? {};
  if (database?.connected === false) out.push({ text: 'The database is away: nothing can be accepted or shown.', severe: true });
  if (llm?.provider_available === false) out.push({ text: 'No LLM provider is available: alerts are refused until one has a key.', severe: true });
  const workers = queue?.workers;
  if (workers !== undefined) {
    for (const [role, text] of Object.entries(ROLES)) {
      if ((workers[role] ?? 0) === 0) out.push({ text, severe: (queue?.ready ?? 0) > 0 });
    }
  }
  const paused = queue?.paused ?? [];
  if (paused.length > 0) out.push({ text: `Paused: ${paused.join(', ')}. Its jobs wait.`, severe: false });
  const dead = queue?.dead ?? 0;
  if (dead > 0) out.push({ text: `${plural(dead, 'dead job')} nobody will try again by itself.`, severe: false });
  return out;
}
