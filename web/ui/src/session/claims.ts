/** Claims of an analysis, each with the tool calls that show it (docs/AGENTS.md, Claims). */
import type { SessionDetail, StageDetail } from '../api/types';

export interface ClaimCall {
  interactionId: string;
  call: string;
}

export interface Claim {
  text: string;
  calls: readonly ClaimCall[];
  /** Why no tool shows it; null: one does. */
  notShown: string | null;
}

/** Claims of an analysis, or why there are none. */
export interface Claims {
  claims: readonly Claim[];
  error: string | null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const textOr = (value: unknown, other: string): string => (typeof value === 'string' ? value : other);

function callOf(value: unknown): ClaimCall[] {
  if (!isObject(value) || typeof value.interaction_id !== 'string') return [];
  return [{ interactionId: value.interaction_id, call: textOr(value.call, 'tool call') }];
}

function claimOf(value: unknown): Claim[] {
  if (!isObject(value) || typeof value.text !== 'string') return [];
  const calls = Array.isArray(value.calls) ? value.calls.flatMap(callOf) : [];
  const isShown = calls.length > 0 && value.not_shown === undefined;
  return [{ text: value.text, calls, notShown: isShown ? null : textOr(value.not_shown, 'it cites no call') }];
}

function claimsOf({ stage_output: output }: StageDetail): Claims | null {
  if (typeof output?.output_error === 'string') return { claims: [], error: output.output_error };
  return Array.isArray(output?.claims) ? { claims: output.claims.flatMap(claimOf), error: null } : null;
}

/** Claims of the stage that wrote the session's analysis; null: it was not asked for claims. */
export function claimsOfAnalysis(session: Pick<SessionDetail, 'stages' | 'final_analysis'>): Claims | null {
  const stage = session.stages.findLast(
    (one) =>
      one.is_current &&
      one.status === 'completed' &&
      one.stage_output?.result != null &&
      one.stage_output.result === session.final_analysis,
  );
  return stage === undefined ? null : claimsOf(stage);
}

/** Number of claims that no tool shows. */
export const unshownClaims = (claims: Claims | null): number =>
  claims?.claims.filter(({ notShown }) => notShown !== null).length ?? 0;
