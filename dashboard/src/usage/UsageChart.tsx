import { Box, Typography } from '@mui/material';
import { formatAbsolute, formatCost, formatCount, toneColor, usePrefs } from '@tarsy/ui';
import type { ReactElement } from 'react';
import type { Measure, Shown, UsageBar } from './usage';

const HEIGHT = 120;

/** Value of a bar, in words. */
function said(bar: UsageBar, measure: Measure): string {
  if (measure === 'cost') return formatCost(bar.value, bar.isComplete ? 'complete' : 'partial');
  return `${formatCount(bar.value)} ${measure}`;
}

/** Bars by step, plain SVG. The table below it has the same figures. */
export function UsageChart({ bars, measure, step }: { bars: readonly UsageBar[]; measure: Measure; step: Shown['step'] }): ReactElement {
  const { zone } = usePrefs();
  const most = Math.max(...bars.map((bar) => bar.value), 0);
  // Days and weeks are of UTC, whatever zone times are shown in.
  const label = (bar: UsageBar | undefined): string => (bar === undefined ? '' : step === 'hour' ? formatAbsolute(bar.atUs, zone).slice(5, 16) : formatAbsolute(bar.atUs, 'utc').slice(0, 10));
  const highest = bars.find((bar) => bar.value === most && most > 0);
  const summary = `${measure} by ${step}, ${label(bars[0])} to ${label(bars.at(-1))}; highest ${highest === undefined ? 'none' : `${said(highest, measure)} (${label(highest)})`}`;
  const width = 100 / Math.max(1, bars.length);
  return (
    <Box sx={{ px: 2, pb: 1.5 }}>
      <Box component="svg" role="img" aria-label={summary} data-testid="usage-chart" width="100%" height={HEIGHT} sx={{ display: 'block', borderBottom: 1, borderColor: 'divider' }}>
        {bars.map((bar, at) => {
          const tall = most === 0 || bar.value === 0 ? 0 : Math.max(2, (HEIGHT * bar.value) / most);
          return (
            <g key={bar.atUs}>
              <title>{`${label(bar)}: ${said(bar, measure)}`}</title>
              <rect x={`${String(at * width)}%`} width={`${String(width)}%`} y={0} height={HEIGHT} fill="transparent" />
              <rect x={`${String((at + 0.1) * width)}%`} width={`${String(width * 0.8)}%`} y={HEIGHT - tall} height={tall} fill={toneColor.run} opacity={measure === 'cost' && !bar.isComplete ? 0.55 : 1} />
            </g>
          );
        })}
      </Box>
      <Box sx={{ display: 'flex', justifyContent: 'space-between', gap: 1 }}>
        <Typography variant="caption" color="text.secondary">{label(bars[0])}</Typography>
        <Typography variant="caption" color="text.secondary">highest {step}: {highest === undefined ? 'none' : said(highest, measure)}</Typography>
        <Typography variant="caption" color="text.secondary">{bars.length > 1 ? label(bars.at(-1)) : ''}</Typography>
      </Box>
    </Box>
  );
}
