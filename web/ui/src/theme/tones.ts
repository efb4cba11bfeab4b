/** Tones of statuses and severities. */

export type Tone = 'good' | 'bad' | 'warn' | 'run' | 'rest';

/** CSS colours of a tone, out of the theme's variables so that both schemes fit. */
export const toneColor: Record<Tone, string> = {
  good: 'var(--mui-palette-success-main)',
  bad: 'var(--mui-palette-error-main)',
  warn: 'var(--mui-palette-warning-main)',
  run: 'var(--mui-palette-info-main)',
  rest: 'var(--mui-palette-text-secondary)',
};

/** A faint surface of the tone. */
export const toneSurface = (tone: Tone, share = 12): string =>
  `color-mix(in srgb, ${toneColor[tone]} ${String(share)}%, transparent)`;

/** Labels and tones of verdicts; null: it says nothing. */
export function verdictTone(verdict?: string | null): { tone: Tone; label: string } | null {
  switch (verdict) {
    case 'supported':
      return { tone: 'good', label: 'supported' };
    case 'no_fault':
      return { tone: 'good', label: 'no fault' };
    case 'partly_supported':
      return { tone: 'warn', label: 'partly supported' };
    case 'inconclusive':
      return { tone: 'rest', label: 'inconclusive' };
    case 'unsupported':
      return { tone: 'bad', label: 'unsupported' };
    case 'not_investigated':
      return { tone: 'bad', label: 'not investigated' };
    default:
      return null;
  }
}

/** Labels and tones of statuses. An answer that no tool result shows does not look like success. */
export function statusTone(
  status: string,
  outcome?: string | null,
  verdict?: string | null,
): { tone: Tone; label: string } {
  switch (status) {
    case 'completed':
      if (outcome !== 'partial' && verdictTone(verdict)?.tone === 'bad') return { tone: 'warn', label: 'completed' };
      return outcome === 'partial' ? { tone: 'warn', label: 'partial' } : { tone: 'good', label: 'completed' };
    case 'failed':
      return { tone: 'bad', label: outcome === 'partial' ? 'failed, partial data' : 'failed' };
    case 'in_progress':
      return { tone: 'run', label: 'in progress' };
    case 'active':
      return { tone: 'run', label: 'running' };
    case 'waiting':
      return { tone: 'warn', label: 'waiting' };
    case 'needs_decision':
      return { tone: 'warn', label: 'needs you' };
    case 'stuck':
      return { tone: 'bad', label: 'stuck' };
    case 'queued':
    case 'pending':
      return { tone: 'rest', label: 'queued' };
    case 'cancelled':
      return { tone: 'rest', label: 'cancelled' };
    case 'skipped':
      return { tone: 'rest', label: 'skipped' };
    case 'partial':
      return { tone: 'warn', label: 'partial' };
    default:
      return { tone: 'rest', label: status };
  }
}

/** Severities as monitoring systems write them. */
export function severityTone(severity: string): Tone {
  const word = severity.toLowerCase();
  if (/^(critical|fatal|emergency|page|p1|sev1|disaster|high|error|p2)$/.test(word)) return 'bad';
  if (/^(warning|warn|medium|average|p3|minor|major)$/.test(word)) return 'warn';
  return 'rest';
}
