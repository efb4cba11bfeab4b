import { Box } from '@mui/material';
import { Choice } from '@tarsy/ui';
import type { ReactElement, ReactNode } from 'react';
import { isHourly, RANGES, STEPS, type Shown } from './usage';

const MENU = { minWidth: 120 };
const shownAs = (words: readonly string[]) => words.map((word) => [word, word] as const);

interface Props extends Pick<Shown, 'range' | 'step'> {
  by: string;
  /** Options of the grouping. */
  words: readonly string[];
  onChange: (change: Record<string, string>) => void;
  children?: ReactNode;
}

/** Menus for the time range, the grouping and the time step of sums. */
export function PeriodChoices({ by, words, range, step, onChange, children }: Props): ReactElement {
  const menu = (label: string, name: string, value: string, options: readonly (readonly [string, string])[]) => (
    <Choice
      label={label}
      value={value}
      options={options}
      onChange={(next) => {
        onChange({ [name]: next });
      }}
      sx={MENU}
    />
  );
  const times = RANGES.map(([word, said]) => [word, said] as const);
  const steps = STEPS.filter((one) => one !== 'hour' || isHourly(range));
  return (
    <Box
      role="group"
      aria-label="What is shown"
      sx={{ display: 'flex', gap: 1.5, flexWrap: 'wrap', alignItems: 'center' }}
    >
      {menu('Time', 'range', range, times)}
      {menu('By', 'by', by, shownAs(words))}
      {menu('Step', 'step', step, shownAs(steps))}
      {children}
    </Box>
  );
}
