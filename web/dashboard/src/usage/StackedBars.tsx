import { Box, Typography } from '@mui/material';
import { Faint, formatAbsolute, usePrefs } from '@tarsy/ui';
import type { ReactElement, ReactNode } from 'react';
import type { Shown } from './usage';

/** Height of the chart, in pixels. */
const HEIGHT = 140;

/** A group. Each bar has a part for each group. */
export interface BarGroup {
  id: string;
  name: string;
  /** Colour that is visible on light and dark. */
  colour: string;
}

/** Bar of a step. */
interface Bar {
  atUs: number;
  /** Value of each group. */
  parts: readonly number[];
  /** Tooltip of the bar. */
  title: string;
  /** Text above the bar. */
  value?: string;
}

interface Props {
  bars: readonly Bar[];
  groups: readonly BarGroup[];
  /** Description of the chart for screen readers. */
  summary: string;
  legend: string;
  /** Attribute that names the group of a part. */
  mark: 'data-group' | 'data-verdict';
  testid: string;
  /** Room above the highest bar, in pixels. */
  top: number;
  /** Content below the bars. */
  children: ReactNode;
}

/** Returns a function that labels a step. Days and weeks are in UTC, no matter in which zone times are shown. */
export function useStepLabel(step: Shown['step']): (atUs: number) => string {
  const { zone } = usePrefs();
  return (atUs) =>
    step === 'hour' ? formatAbsolute(atUs, zone).slice(5, 16) : formatAbsolute(atUs, 'utc').slice(0, 10);
}

/** Labels at the left, in the middle and at the right of the axis. */
export const AxisWords = ({ words }: { words: readonly [string, string, string] }): ReactElement => (
  <Box sx={{ display: 'flex', justifyContent: 'space-between', gap: 1 }}>
    {words.map((word, at) => (
      <Faint key={at}>{word}</Faint>
    ))}
  </Box>
);

/** Bar chart by time step, stacked by group, in plain SVG. */
export function StackedBars({ bars, groups, summary, legend, mark, testid, top, children }: Props): ReactElement {
  const total = ({ parts }: Bar): number => parts.reduce((sum, part) => sum + part, 0);
  const most = Math.max(...bars.map(total), 0);
  const width = 100 / Math.max(1, bars.length);
  return (
    <Box sx={{ px: 2, pb: 1.5 }}>
      <Box
        component="svg"
        role="img"
        aria-label={summary}
        data-testid={`${testid}-chart`}
        width="100%"
        height={HEIGHT}
        sx={{ display: 'block', borderBottom: 1, borderColor: 'divider', overflow: 'visible' }}
      >
        {bars.map((bar, at) => {
          let y = HEIGHT;
          return (
            <g key={bar.atUs}>
              <title>{bar.title}</title>
              <rect x={`${String(at * width)}%`} width={`${String(width)}%`} y={0} height={HEIGHT} fill="transparent" />
              {groups.map(({ id, colour }, group) => {
                const part = bar.parts[group] ?? 0;
                const tall = part === 0 ? 0 : ((HEIGHT - top) * part) / most;
                y -= tall;
                return (
                  tall > 0 && (
                    <rect
                      key={id}
                      {...{ [mark]: id }}
                      x={`${String((at + 0.1) * width)}%`}
                      width={`${String(width * 0.8)}%`}
                      y={y}
                      height={tall}
                      fill={colour}
                    />
                  )
                );
              })}
              {bar.value !== undefined && (
                <text
                  x={`${String((at + 0.5) * width)}%`}
                  y={y - 5}
                  textAnchor="middle"
                  fontSize={11}
                  fill="currentColor"
                >
                  {bar.value}
                </text>
              )}
            </g>
          );
        })}
      </Box>
      {children}
      <Box
        component="ul"
        data-testid={`${testid}-legend`}
        aria-label={legend}
        sx={{ m: 0, mt: 0.5, p: 0, listStyle: 'none', display: 'flex', columnGap: 2, flexWrap: 'wrap' }}
      >
        {groups.map(({ id, name, colour }) => (
          <Typography
            key={id}
            component="li"
            variant="caption"
            sx={{ display: 'flex', gap: 0.75, alignItems: 'center', overflowWrap: 'anywhere' }}
          >
            <span aria-hidden style={{ width: 10, height: 10, borderRadius: 2, flexShrink: 0, background: colour }} />
            {name}
          </Typography>
        ))}
      </Box>
    </Box>
  );
}
