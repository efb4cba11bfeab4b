/** Tones of statuses and severities. */

export type Tone = 'good' | 'bad' | 'warn' | 'run' | 'rest';

/** CSS colours of tones, as variables of the theme so that they fit both schemes. */
export const toneColor: Record<Tone, string> = {
  good: 'var(--mui-palette-success-main)',
  bad: 'var(--mui-palette-error-main)',
  warn: 'var(--mui-palette-warning-main)',
  run: 'var(--mui-palette-info-main)',
  rest: 'var(--mui-palette-text-secondary)',
};

/** Faint background of a tone; `share` is the percentage of its colour. */
export const toneSurface = (tone: Tone, share = 12): string =>
  `color-mix(in srgb, ${toneColor[tone]} ${String(share)}%, transparent)`;

interface Said {
  tone: Tone;
  label: string;
}

const VERDICTS: Readonly<Record<string, Said>> = {
  supported: { tone: 'good', label: 'supported' },
  no_fault: { tone: 'good', label: 'no fault' },
  partly_supported: { tone: 'warn', label: 'partly supported' },
  inconclusive: { tone: 'rest', label: 'inconclusive' },
  unsupported: { tone: 'bad', label: 'unsupported' },
  not_investigated: { tone: 'bad', label: 'not investigated' },
};

/** Returns label and tone of a verdict; null: there is nothing to show. */
export const verdictTone = (verdict?: string | null): Said | null => VERDICTS[verdict ?? ''] ?? null;

const STATUSES: Readonly<Record<string, Said>> = {
  completed: { tone: 'good', label: 'completed' },
  failed: { tone: 'bad', label: 'failed' },
  in_progress: { tone: 'run', label: 'in progress' },
  active: { tone: 'run', label: 'running' },
  waiting: { tone: 'warn', label: 'waiting' },
  needs_decision: { tone: 'warn', label: 'needs you' },
  stuck: { tone: 'bad', label: 'stuck' },
  queued: { tone: 'rest', label: 'queued' },
  pending: { tone: 'rest', label: 'queued' },
  partial: { tone: 'warn', label: 'partial' },
};

/** Returns label and tone of a status. An answer that no tool result supports does not look like success. */
export function statusTone(status: string, outcome?: string | null, verdict?: string | null): Said {
  if (outcome === 'partial' && status === 'completed') return { tone: 'warn', label: 'partial' };
  if (outcome === 'partial' && status === 'failed') return { tone: 'bad', label: 'failed, partial data' };
  if (status === 'completed' && verdictTone(verdict)?.tone === 'bad') return { tone: 'warn', label: 'completed' };
  return STATUSES[status] ?? { tone: 'rest', label: status };
}

/** Returns the tone of a severity, as monitoring systems write it. */
export function severityTone(severity: string): Tone {
  const word = severity.toLowerCase();
  if (/^(critical|fatal|emergency|page|p1|sev1|disaster|high|error|p2)$/.test(word)) return 'bad';
  if (/^(warning|warn|medium|average|p3|minor|major)$/.test(word)) return 'warn';
  return 'rest';
}
