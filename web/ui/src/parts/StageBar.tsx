import type { CSSProperties, ReactElement } from 'react';
import { statusTone, toneColor } from '../theme/tones';

export interface StageMark {
  name: string;
  status: string;
}

const bar: CSSProperties = { display: 'flex', gap: 2, minWidth: 48, maxWidth: 160, flex: 1 };

function segment(status: string): CSSProperties {
  const idle = status === 'not started' || status === 'pending';
  return {
    height: 6,
    flex: 1,
    borderRadius: 3,
    background: idle ? 'var(--mui-palette-divider)' : toneColor[statusTone(status).tone],
    animation: status === 'active' ? 'breathe 1.6s ease-in-out infinite' : undefined,
  };
}
/** Created once per status, because React skips the comparison of identical style objects. */
const segments = new Map<string, CSSProperties>();
function styleOf(status: string): CSSProperties {
  const known = segments.get(status) ?? segment(status);
  segments.set(status, known);
  return known;
}

/** Bar with one segment per stage, coloured by status. */
export function StageBar({ stages, label }: { stages: readonly StageMark[]; label: string }): ReactElement {
  return (
    <div role="img" aria-label={label} style={bar}>
      {stages.map((stage, index) => (
        <span key={index} title={`${stage.name}: ${statusTone(stage.status).label}`} style={styleOf(stage.status)} />
      ))}
    </div>
  );
}
