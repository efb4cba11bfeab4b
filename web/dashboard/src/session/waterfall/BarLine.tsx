import { styled } from '@mui/material/styles';
import { formatDuration, toneColor, type Bar } from '@tarsy/ui';
import type { ReactElement } from 'react';

/** Height of a line, in pixels: the minimum of a touch target (WCAG 2.2, 2.5.8). */
export const ROW = 24;
/** Height of a line on a phone, where the label is above its bar. */
export const TALL_ROW = 42;
/** Width of the labels next to the bars. The chart sets it with `LABEL_WIDTH`. */
export const LABEL = 'var(--waterfall-label)';
/** Style of the chart that sets `LABEL`. */
export const LABEL_WIDTH = { '--waterfall-label': { xs: '16px', sm: '250px' } } as const;

/** Below the theme's breakpoint `sm`. */
const PHONE = '@media (max-width: 599.95px)';

/** Styled once for all lines. */
const Line = styled('button')({
  all: 'unset',
  boxSizing: 'border-box',
  display: 'grid',
  gridTemplateColumns: `${LABEL} 1fr`,
  height: ROW,
  width: '100%',
  alignItems: 'center',
  cursor: 'pointer',
  '&:hover': { background: 'var(--mui-palette-action-hover)' },
  '&:focus-visible': { outline: '2px solid var(--mui-palette-primary-main)', outlineOffset: -2 },
  '& > span': {
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    fontSize: '0.75rem',
    padding: '0 8px 0 28px',
    color: 'var(--mui-palette-text-secondary)',
  },
  '&[data-depth="2"] > span': { paddingLeft: 44 },
  [PHONE]: { height: TALL_ROW, '& > span': { gridColumn: '1 / -1', lineHeight: '18px' }, '& > svg': { gridColumn: 2 } },
  '&[data-kind=stage] > span': { paddingLeft: 16, fontWeight: 600, color: 'var(--mui-palette-text-primary)' },
});

interface Props {
  bar: Bar;
  fromUs: number;
  spanUs: number;
  /** Whether it is on the critical path. */
  critical: boolean;
  onOpen: () => void;
}

/** One bar of the waterfall with its label and duration. */
export function BarLine({ bar, fromUs, spanUs, critical, onOpen }: Props): ReactElement {
  const at = (us: number): number => Math.min(100, Math.max(0, (100 * (us - fromUs)) / spanUs));
  const x = at(bar.startUs);
  const width = Math.max(0.15, at(bar.endUs) - x);
  const took = formatDuration((bar.endUs - bar.startUs) / 1000);
  const stage = bar.kind === 'stage';
  // The label is at the right of the bar, or at the left if there is no room at the right.
  const left = x + width > 85;
  const hint = `${bar.label}: ${took}, starts after ${formatDuration((bar.startUs - fromUs) / 1000)}${critical ? '; on the critical path' : ''}`;
  return (
    <Line
      type="button"
      onClick={onOpen}
      title={hint}
      data-kind={bar.kind}
      data-depth={bar.depth}
      data-critical={critical}
    >
      <span>{bar.label}</span>
      <svg width="100%" height={ROW} style={{ overflow: 'visible' }} aria-hidden>
        <rect
          x={`${String(x)}%`}
          y={stage ? 8 : 6}
          width={`${String(width)}%`}
          height={stage ? 8 : 12}
          rx={2}
          fill={bar.kind === 'llm' && bar.tone === 'good' ? toneColor.run : toneColor[bar.tone]}
          opacity={stage ? 0.35 : bar.kind === 'mcp' ? 0.95 : 0.8}
          strokeDasharray={bar.running ? '4 3' : undefined}
          stroke={bar.running ? toneColor.run : 'none'}
        />
        {critical && (
          <rect
            x={`${String(x)}%`}
            y={20}
            width={`${String(width)}%`}
            height={2}
            fill="var(--mui-palette-text-primary)"
          />
        )}
        <text
          x={`${String(left ? x : x + width)}%`}
          dx={left ? -6 : 6}
          textAnchor={left ? 'end' : 'start'}
          y={16}
          fontSize={11}
          fill="var(--mui-palette-text-secondary)"
        >
          {took}
        </text>
      </svg>
    </Line>
  );
}
