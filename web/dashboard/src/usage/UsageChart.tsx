import { Box, Typography } from '@mui/material';
import { formatAbsolute, formatCost, formatCount, usePrefs, type Usage } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { bars, chartGroups, OTHERS, stacks, type Measure, type Shown, type UsageBar } from './usage';

const HEIGHT = 140;
/** Room above the highest bar for its value. */
const TOP = 18;
/** Most bars with a value and a date of their own. */
const FEW = 8;
/** Colours of groups, that show on light and dark. */
const COLOURS = ['#4c78d8', '#d9822b', '#2f9e77', '#a56bd6', '#cf4f6b'];
const OTHER_COLOUR = '#8a8f98';

/** Value of a bar, in words. */
function said(bar: Pick<UsageBar, 'value' | 'isComplete'>, measure: Measure): string {
  if (measure === 'cost') return formatCost(bar.value, bar.isComplete ? 'complete' : 'partial');
  return `${formatCount(bar.value)} ${measure}`;
}

/** Bars by step, stacked by group, plain SVG. The table below it has the same figures. */
export function UsageChart({
  usage,
  measure,
  step,
}: {
  usage: Usage;
  measure: Measure;
  step: Shown['step'];
}): ReactElement {
  const { zone } = usePrefs();
  const all = bars(usage, step, measure);
  const groups = chartGroups(usage, measure);
  const parts = stacks(usage, measure, groups);
  const most = Math.max(...all.map((bar) => bar.value), 0);
  // Days and weeks are of UTC, whatever zone times are shown in.
  const label = (bar: UsageBar | undefined): string =>
    bar === undefined
      ? ''
      : step === 'hour'
        ? formatAbsolute(bar.atUs, zone).slice(5, 16)
        : formatAbsolute(bar.atUs, 'utc').slice(0, 10);
  const highest = all.find((bar) => bar.value === most && most > 0);
  const summary = `${measure} by ${step}, ${label(all[0])} to ${label(all.at(-1))}; highest ${highest === undefined ? 'none' : `${said(highest, measure)} (${label(highest)})`}`;
  const width = 100 / Math.max(1, all.length);
  const tallness = (value: number): number => (most === 0 ? 0 : ((HEIGHT - TOP) * value) / most);
  const few = all.length <= FEW;
  const colour = (name: string, at: number): string => (name === OTHERS ? OTHER_COLOUR : (COLOURS[at] ?? OTHER_COLOUR));
  return (
    <Box sx={{ px: 2, pb: 1.5 }}>
      <Box
        component="svg"
        role="img"
        aria-label={summary}
        data-testid="usage-chart"
        width="100%"
        height={HEIGHT}
        sx={{ display: 'block', borderBottom: 1, borderColor: 'divider', overflow: 'visible' }}
      >
        {all.map((bar, at) => {
          let y = HEIGHT;
          return (
            <g key={bar.atUs}>
              <title>
                {[
                  `${label(bar)}: ${said(bar, measure)}`,
                  ...groups.flatMap((name, group) => {
                    const value = parts.get(bar.atUs)?.[group] ?? 0;
                    return value > 0 ? [`${name}: ${said({ value, isComplete: true }, measure)}`] : [];
                  }),
                ].join('\n')}
              </title>
              <rect x={`${String(at * width)}%`} width={`${String(width)}%`} y={0} height={HEIGHT} fill="transparent" />
              {groups.map((name, group) => {
                const tall = tallness(parts.get(bar.atUs)?.[group] ?? 0);
                y -= tall;
                return (
                  tall > 0 && (
                    <rect
                      key={name}
                      data-group={name}
                      x={`${String((at + 0.1) * width)}%`}
                      width={`${String(width * 0.8)}%`}
                      y={y}
                      height={tall}
                      fill={colour(name, group)}
                    />
                  )
                );
              })}
              {few && bar.value > 0 && (
                <text
                  x={`${String((at + 0.5) * width)}%`}
                  y={y - 5}
                  textAnchor="middle"
                  fontSize={11}
                  fill="currentColor"
                >
                  {measure === 'cost' ? said(bar, measure) : formatCount(bar.value)}
                </text>
              )}
            </g>
          );
        })}
      </Box>
      {few ? (
        <Box
          sx={{
            display: 'grid',
            gridTemplateColumns: `repeat(${String(all.length)}, minmax(0, 1fr))`,
            textAlign: 'center',
          }}
        >
          {all.map((bar) => (
            <Typography key={bar.atUs} variant="caption" color="text.secondary" noWrap>
              {step === 'hour' ? label(bar) : label(bar).slice(5)}
            </Typography>
          ))}
        </Box>
      ) : (
        <Box sx={{ display: 'flex', justifyContent: 'space-between', gap: 1 }}>
          <Typography variant="caption" color="text.secondary">
            {label(all[0])}
          </Typography>
          <Typography variant="caption" color="text.secondary">
            highest {step}: {highest === undefined ? 'none' : said(highest, measure)}
          </Typography>
          <Typography variant="caption" color="text.secondary">
            {label(all.at(-1))}
          </Typography>
        </Box>
      )}
      <Box
        component="ul"
        data-testid="usage-legend"
        aria-label="Groups of the chart"
        sx={{ m: 0, mt: 0.5, p: 0, listStyle: 'none', display: 'flex', columnGap: 2, flexWrap: 'wrap' }}
      >
        {groups.map((name, at) => (
          <Typography
            key={name}
            component="li"
            variant="caption"
            sx={{ display: 'flex', gap: 0.75, alignItems: 'center', overflowWrap: 'anywhere' }}
          >
            <span
              aria-hidden
              style={{ width: 10, height: 10, borderRadius: 2, flexShrink: 0, background: colour(name, at) }}
            />
            {name}
          </Typography>
        ))}
      </Box>
    </Box>
  );
}
