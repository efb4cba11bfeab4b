import { Box, Typography } from '@mui/material';
import { formatAbsolute, usePrefs, type Quality, type QualityStep } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { STEP_US } from '../usage/usage';
import { VERDICTS } from './quality';

const HEIGHT = 140;
/** Room above the highest bar. */
const TOP = 8;

const number = (step: QualityStep | undefined): number =>
  Object.values(step?.verdicts ?? {}).reduce((sum, one) => sum + one, 0);

/** Bars by step, stacked by verdict, plain SVG. The tables below it have the sums. */
export function VerdictChart({ quality, step }: { quality: Quality; step: keyof typeof STEP_US }): ReactElement {
  const { zone } = usePrefs();
  const length = STEP_US[step];
  const all = Array.from(
    { length: Math.max(1, Math.ceil((quality.to_us - quality.from_us) / length)) },
    (_, at) => quality.from_us + at * length,
  );
  const found = new Map(quality.steps.map((one) => [one.at_us, one]));
  const most = Math.max(...quality.steps.map(number), 1);
  const width = 100 / all.length;
  // Days and weeks are of UTC, whatever zone times are shown in.
  const label = (atUs: number): string =>
    step === 'hour' ? formatAbsolute(atUs, zone).slice(5, 16) : formatAbsolute(atUs, 'utc').slice(0, 10);
  const [first, last] = [label(quality.from_us), label(all.at(-1) ?? quality.from_us)];
  const shown = VERDICTS.filter(([verdict]) => quality.steps.some((one) => (one.verdicts[verdict] ?? 0) > 0));
  return (
    <Box sx={{ px: 2, pb: 1.5 }}>
      <Box
        component="svg"
        role="img"
        aria-label={`Verdicts by ${step}, ${first} to ${last}; at most ${String(most)} sessions`}
        data-testid="verdict-chart"
        width="100%"
        height={HEIGHT}
        sx={{ display: 'block', borderBottom: 1, borderColor: 'divider' }}
      >
        {all.map((atUs, at) => {
          const one = found.get(atUs);
          let y = HEIGHT;
          const parts = shown
            .map(([verdict, name, colour]) => ({ verdict, name, colour, value: one?.verdicts[verdict] ?? 0 }))
            .filter(({ value }) => value > 0);
          return (
            <g key={atUs}>
              <title>{[label(atUs), ...parts.map(({ name, value }) => `${name}: ${String(value)}`)].join('\n')}</title>
              <rect x={`${String(at * width)}%`} width={`${String(width)}%`} y={0} height={HEIGHT} fill="transparent" />
              {parts.map(({ verdict, colour, value }) => {
                const tall = ((HEIGHT - TOP) * value) / most;
                y -= tall;
                return (
                  <rect
                    key={verdict}
                    data-verdict={verdict}
                    x={`${String((at + 0.1) * width)}%`}
                    width={`${String(width * 0.8)}%`}
                    y={y}
                    height={tall}
                    fill={colour}
                  />
                );
              })}
            </g>
          );
        })}
      </Box>
      <Box sx={{ display: 'flex', justifyContent: 'space-between', gap: 1 }}>
        <Typography variant="caption" color="text.secondary">
          {first}
        </Typography>
        <Typography variant="caption" color="text.secondary">
          highest {step}: {most} {most === 1 ? 'session' : 'sessions'}
        </Typography>
        <Typography variant="caption" color="text.secondary">
          {last}
        </Typography>
      </Box>
      <Box
        component="ul"
        aria-label="Verdicts of the chart"
        sx={{ m: 0, mt: 0.5, p: 0, listStyle: 'none', display: 'flex', columnGap: 2, flexWrap: 'wrap' }}
      >
        {shown.map(([verdict, name, colour]) => (
          <Typography
            key={verdict}
            component="li"
            variant="caption"
            sx={{ display: 'flex', gap: 0.75, alignItems: 'center' }}
          >
            <span aria-hidden style={{ width: 10, height: 10, borderRadius: 2, background: colour }} />
            {name}
          </Typography>
        ))}
      </Box>
    </Box>
  );
}
