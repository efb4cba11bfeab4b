import { Ban, CircleCheck, CircleDashed, CirclePause, CircleX, LoaderCircle, TriangleAlert } from 'lucide-react';
import type { CSSProperties, ReactElement } from 'react';
import type { SessionWait } from '../api/types';
import { waitTone } from '../session/wait';
import { severityTone, statusTone, toneColor, verdictTone, toneSurface, type Tone } from '../theme/tones';

// Uses plain elements and styles that are created once: a list shows hundreds of these while it scrolls.

// Created once: React skips identical elements when a row shows another session.
const ICON: Record<string, ReactElement> = {
  completed: <CircleCheck size={13} />,
  partial: <TriangleAlert size={13} />,
  failed: <CircleX size={13} />,
  cancelled: <Ban size={13} />,
  pending: <CircleDashed size={13} />,
  waiting: <CirclePause size={13} />,
};
const TURNING = <LoaderCircle size={13} style={{ animation: 'turn 1.6s linear infinite' }} />;

const icon = (status: string, outcome?: string | null): ReactElement =>
  ICON[status === 'completed' && outcome === 'partial' ? 'partial' : status] ?? TURNING;

const forTones = (style: (tone: Tone) => CSSProperties): Record<Tone, CSSProperties> => ({
  good: style('good'),
  bad: style('bad'),
  warn: style('warn'),
  run: style('run'),
  rest: style('rest'),
});

const chip = (tone: Tone): CSSProperties => ({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 5,
  height: 22,
  padding: '0 8px 0 6px',
  borderRadius: 5,
  whiteSpace: 'nowrap',
  fontSize: '0.75rem',
  fontWeight: 500,
  color: toneColor[tone],
  background: toneSurface(tone),
});
const chips = forTones(chip);

/** Status as text, icon and colour. */
export function StatusChip({
  status,
  outcome,
  waiting,
  verdict,
}: {
  status: string;
  outcome?: string | null;
  waiting?: SessionWait | null;
  verdict?: string | null;
}): ReactElement {
  if (waiting != null) return <ToneChip {...waitTone(waiting)} />;
  const { tone, label } = statusTone(status, outcome, verdict);
  return (
    <span style={chips[tone]}>
      {icon(status, tone === 'warn' ? 'partial' : outcome)}
      {label}
    </span>
  );
}

/** Verdict of the check of the answer. Renders nothing if there is no verdict to show. */
export function VerdictChip({
  verdict,
  summary,
}: {
  verdict?: string | null;
  summary?: string | null;
}): ReactElement | null {
  const shown = verdictTone(verdict);
  return shown === null ? null : (
    <span data-testid="verdict" title={summary ?? undefined} style={chips[shown.tone]}>
      {TONE_ICON[shown.tone]}
      {shown.label}
    </span>
  );
}

/**
 * Label that the agent gave, or a warning that it gave none although the chain has labels. Renders nothing if the chain
 * has no labels.
 */
export function LabelChip({ label, error }: { label?: string | null; error?: string | null }): ReactElement | null {
  if (label != null)
    return (
      <span data-testid="label" title="Label that the agent gave" style={chips.rest}>
        {label}
      </span>
    );
  return error == null ? null : (
    <span data-testid="label" title={error} style={chips.warn}>
      {TONE_ICON.warn}no label
    </span>
  );
}

const TONE_ICON: Record<Tone, ReactElement> = {
  good: <CircleCheck size={13} />,
  bad: <CircleX size={13} />,
  warn: <TriangleAlert size={13} />,
  run: <LoaderCircle size={13} />,
  rest: <CircleDashed size={13} />,
};

/** Chip of any other state. `plain` omits the icon, for chips that show no state. */
export function ToneChip({ tone, label, plain = false }: { tone: Tone; label: string; plain?: boolean }): ReactElement {
  return (
    <span style={chips[tone]}>
      {plain ? null : TONE_ICON[tone]}
      {label}
    </span>
  );
}

const square = <span aria-hidden style={{ width: 8, height: 8, borderRadius: 2, background: 'currentColor' }} />;
const severe = (tone: Tone): CSSProperties => ({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 6,
  color: toneColor[tone],
  whiteSpace: 'nowrap',
  fontWeight: tone === 'bad' ? 600 : 400,
});
const severities = forTones(severe);

/** Severity as sent, coloured. */
export function SeverityMark({ severity }: { severity: string }): ReactElement {
  return (
    <span style={severities[severityTone(severity)]}>
      {square}
      {severity}
    </span>
  );
}
