import { Ban, CircleCheck, CircleDashed, CircleX, LoaderCircle, TriangleAlert } from 'lucide-react';
import type { CSSProperties, ReactElement } from 'react';
import { severityTone, statusTone, toneColor, toneSurface, type Tone } from '../theme/tones';

// Plain elements and styles made once: lists show hundreds of these while they are scrolled.

function icon(status: string, outcome?: string | null): ReactElement {
  if (status === 'completed') return outcome === 'partial' ? <TriangleAlert size={13} /> : <CircleCheck size={13} />;
  if (status === 'failed') return <CircleX size={13} />;
  if (status === 'cancelled') return <Ban size={13} />;
  if (status === 'pending') return <CircleDashed size={13} />;
  return <LoaderCircle size={13} style={{ animation: 'turn 1.6s linear infinite' }} />;
}

const chip = (tone: Tone): CSSProperties => ({
  display: 'inline-flex', alignItems: 'center', gap: 5, height: 22, padding: '0 8px 0 6px', borderRadius: 5, whiteSpace: 'nowrap',
  fontSize: '0.75rem', fontWeight: 500, color: toneColor[tone], background: toneSurface(tone),
});
const chips: Record<Tone, CSSProperties> = { good: chip('good'), bad: chip('bad'), warn: chip('warn'), run: chip('run'), rest: chip('rest') };

/** A status in word, icon and colour: none of them alone. */
export function StatusChip({ status, outcome }: { status: string; outcome?: string | null }): ReactElement {
  const { tone, label } = statusTone(status, outcome);
  return <span style={chips[tone]}>{icon(status, outcome)}{label}</span>;
}

const TONE_ICON: Record<Tone, ReactElement> = {
  good: <CircleCheck size={13} />, bad: <CircleX size={13} />, warn: <TriangleAlert size={13} />, run: <LoaderCircle size={13} />, rest: <CircleDashed size={13} />,
};

/** Any other state, told the same way. */
export function ToneChip({ tone, label }: { tone: Tone; label: string }): ReactElement {
  return <span style={chips[tone]}>{TONE_ICON[tone]}{label}</span>;
}

const mark: CSSProperties = { width: 8, height: 8, borderRadius: 2, background: 'currentColor' };

/** A severity as its sender wrote it. */
export function SeverityMark({ severity }: { severity: string }): ReactElement {
  const tone = severityTone(severity);
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 6, color: toneColor[tone], whiteSpace: 'nowrap', fontWeight: tone === 'bad' ? 600 : 400 }}>
      <span aria-hidden style={mark} />
      {severity}
    </span>
  );
}
