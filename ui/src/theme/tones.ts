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
export const toneSurface = (tone: Tone, share = 12): string => `color-mix(in srgb, ${toneColor[tone]} ${String(share)}%, transparent)`;

/** Labels and tones of statuses. */
export function statusTone(status: string, outcome?: string | null): { tone: Tone; label: string } {
  switch (status) {
    case 'completed': return outcome === 'partial' ? { tone: 'warn', label: 'partial' } : { tone: 'good', label: 'completed' };
    case 'failed': return { tone: 'bad', label: outcome === 'partial' ? 'failed, partial data' : 'failed' };
    case 'in_progress': return { tone: 'run', label: 'in progress' };
    case 'active': return { tone: 'run', label: 'running' };
    case 'waiting': return { tone: 'warn', label: 'waiting' };
    case 'pending': return { tone: 'rest', label: 'queued' };
    case 'cancelled': return { tone: 'rest', label: 'cancelled' };
    case 'skipped': return { tone: 'rest', label: 'skipped' };
    default: return { tone: 'rest', label: status };
  }
}

/** Severities as monitoring systems write them. */
export function severityTone(severity: string): Tone {
  const word = severity.toLowerCase();
  if (/^(critical|fatal|emergency|page|p1|sev1|disaster|high|error|p2)$/.test(word)) return 'bad';
  if (/^(warning|warn|medium|average|p3|minor|major)$/.test(word)) return 'warn';
  return 'rest';
}
