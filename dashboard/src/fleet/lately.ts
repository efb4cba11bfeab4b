/** How models and tools did in the last sessions, summed up from their records. */
import type { SessionDetail } from '@tarsy/ui';

export interface Line { name: string; detail: string; calls: number; failed: number; medianMs: number | null; lastError: string | null; scripted: boolean }

interface Tally { detail: Set<string>; calls: number; failed: number; took: number[]; lastError: string | null; scripted: boolean }

const middle = (values: readonly number[]): number | null => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? null;

function lines(tallies: Map<string, Tally>): Line[] {
  return [...tallies].map(([name, tally]) => ({
    name, detail: [...tally.detail].sort().join(', '), calls: tally.calls, failed: tally.failed, medianMs: middle(tally.took), lastError: tally.lastError, scripted: tally.scripted,
  })).sort((a, b) => b.failed - a.failed || b.calls - a.calls);
}

/** Lines of providers and of MCP servers; most failures first. Calls without an outcome are not judged. */
export function lately(sessions: readonly SessionDetail[]): { providers: Line[]; servers: Line[] } {
  const providers = new Map<string, Tally>();
  const servers = new Map<string, Tally>();
  for (const call of sessions.flatMap((session) => session.stages.flatMap((stage) => stage.chronological_interactions))) {
    const isLlm = call.type === 'llm';
    const name = isLlm ? call.details.provider : call.details.server_name;
    const into = isLlm ? providers : servers;
    const tally = into.get(name) ?? { detail: new Set(), calls: 0, failed: 0, took: [], lastError: null, scripted: name === 'scripted' };
    const detail = isLlm ? (call.details.answered_by ?? call.details.model_name) : call.details.tool_name;
    if (detail != null) tally.detail.add(detail);
    tally.calls += 1;
    if (call.success === false) { tally.failed += 1; tally.lastError ??= call.error_message ?? 'failed'; }
    if (call.duration_ms != null) tally.took.push(call.duration_ms);
    into.set(name, tally);
  }
  return { providers: lines(providers), servers: lines(servers) };
}
