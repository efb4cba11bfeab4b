import { Chip } from '@mui/material';
import { Ban, CircleCheck, CircleDashed, CircleX, LoaderCircle, TriangleAlert } from 'lucide-react';
import type { ReactElement } from 'react';
import { severityTone, statusTone, toneColor, toneSurface } from '../theme/tones';

function icon(status: string, outcome?: string | null): ReactElement {
  if (status === 'completed') return outcome === 'partial' ? <TriangleAlert size={13} /> : <CircleCheck size={13} />;
  if (status === 'failed') return <CircleX size={13} />;
  if (status === 'cancelled') return <Ban size={13} />;
  if (status === 'pending') return <CircleDashed size={13} />;
  return <LoaderCircle size={13} className="turning" />;
}

/** A status in word, icon and colour: none of them alone. */
export function StatusChip({ status, outcome }: { status: string; outcome?: string | null }): ReactElement {
  const { tone, label } = statusTone(status, outcome);
  return (
    <Chip
      icon={icon(status, outcome)}
      label={label}
      sx={{
        height: 22, color: toneColor[tone], bgcolor: toneSurface(tone), '& .MuiChip-icon': { color: 'inherit', ml: 0.75 },
        '& .turning': { animation: 'turn 1.6s linear infinite' }, '@keyframes turn': { to: { transform: 'rotate(360deg)' } },
      }}
    />
  );
}

/** A severity as its sender wrote it. */
export function SeverityMark({ severity }: { severity: string }): ReactElement {
  const tone = severityTone(severity);
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 6, color: toneColor[tone], whiteSpace: 'nowrap', fontWeight: tone === 'bad' ? 600 : 400 }}>
      <span aria-hidden style={{ width: 8, height: 8, borderRadius: 2, background: 'currentColor' }} />
      {severity}
    </span>
  );
}
