import type { Quality, QualityStep } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { AxisWords, StackedBars, useStepLabel } from '../usage/StackedBars';
import { stepsOf, type Shown } from '../usage/usage';
import { VERDICTS } from './quality';

const number = (step: QualityStep): number => Object.values(step.verdicts).reduce((sum, one) => sum + one, 0);

/** Bar chart by time step, stacked by verdict. The tables below it have the sums. */
export function VerdictChart({ quality, step }: { quality: Quality; step: Shown['step'] }): ReactElement {
  const label = useStepLabel(step);
  const all = stepsOf(quality, step);
  const found = new Map(quality.steps.map((one) => [one.at_us, one]));
  const most = Math.max(...quality.steps.map(number), 1);
  const [first, last] = [label(quality.from_us), label(all.at(-1) ?? quality.from_us)];
  const shown = VERDICTS.filter(([verdict]) => quality.steps.some((one) => (one.verdicts[verdict] ?? 0) > 0));
  return (
    <StackedBars
      testid="verdict"
      mark="data-verdict"
      legend="Verdicts of the chart"
      summary={`Verdicts by ${step}, ${first} to ${last}; at most ${String(most)} sessions`}
      top={8}
      groups={shown.map(([id, name, colour]) => ({ id, name, colour }))}
      bars={all.map((atUs) => {
        const parts = shown.map(([verdict]) => found.get(atUs)?.verdicts[verdict] ?? 0);
        const told = shown.flatMap(([, name], at) => ((parts[at] ?? 0) > 0 ? [`${name}: ${String(parts[at])}`] : []));
        return { atUs, parts, title: [label(atUs), ...told].join('\n') };
      })}
    >
      <AxisWords words={[first, `highest ${step}: ${String(most)} ${most === 1 ? 'session' : 'sessions'}`, last]} />
    </StackedBars>
  );
}
