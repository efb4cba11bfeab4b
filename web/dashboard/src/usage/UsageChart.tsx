import { Box } from '@mui/material';
import { Faint, formatCost, formatCount, type Usage } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { AxisWords, StackedBars, useStepLabel } from './StackedBars';
import { bars, chartGroups, OTHERS, stacks, type Measure, type Shown, type UsageBar } from './usage';

/** Room above the highest bar for its value, in pixels. */
const TOP = 18;
/** Maximum number of bars at which each bar has a value and a date. */
const FEW = 8;
/** Colours of groups, visible on light and dark. */
const COLOURS = ['#4c78d8', '#d9822b', '#2f9e77', '#a56bd6', '#cf4f6b'];
const OTHER_COLOUR = '#8a8f98';

/** Formats the value of a bar. */
function said(bar: Pick<UsageBar, 'value' | 'isComplete'>, measure: Measure): string {
  if (measure === 'cost') return formatCost(bar.value, bar.isComplete ? 'complete' : 'partial');
  return `${formatCount(bar.value)} ${measure}`;
}

/** Bar chart by time step, stacked by group. The table below it has the same figures. */
export function UsageChart({
  usage,
  measure,
  step,
}: {
  usage: Usage;
  measure: Measure;
  step: Shown['step'];
}): ReactElement {
  const label = useStepLabel(step);
  const all = bars(usage, step, measure);
  const groups = chartGroups(usage, measure);
  const parts = stacks(usage, measure, groups);
  const most = Math.max(...all.map((bar) => bar.value), 0);
  const [first = '', last = ''] = [all[0], all.at(-1)].map((bar) => bar && label(bar.atUs));
  const highest = all.find((bar) => bar.value === most && most > 0);
  const few = all.length <= FEW;
  return (
    <StackedBars
      testid="usage"
      mark="data-group"
      legend="Groups of the chart"
      summary={`${measure} by ${step}, ${first} to ${last}; highest ${highest === undefined ? 'none' : `${said(highest, measure)} (${label(highest.atUs)})`}`}
      top={TOP}
      groups={groups.map((name, at) => ({
        id: name,
        name,
        colour: name === OTHERS ? OTHER_COLOUR : (COLOURS[at] ?? OTHER_COLOUR),
      }))}
      bars={all.map((bar) => {
        const own = parts.get(bar.atUs) ?? [];
        const told = own.flatMap((value, group) =>
          value > 0 ? [`${groups[group] ?? ''}: ${said({ value, isComplete: true }, measure)}`] : [],
        );
        return {
          atUs: bar.atUs,
          parts: own,
          title: [`${label(bar.atUs)}: ${said(bar, measure)}`, ...told].join('\n'),
          value: few && bar.value > 0 ? (measure === 'cost' ? said(bar, measure) : formatCount(bar.value)) : undefined,
        };
      })}
    >
      {few ? (
        <Box
          sx={{
            display: 'grid',
            gridTemplateColumns: `repeat(${String(all.length)}, minmax(0, 1fr))`,
            textAlign: 'center',
          }}
        >
          {all.map(({ atUs }) => (
            <Faint key={atUs} noWrap>
              {step === 'hour' ? label(atUs) : label(atUs).slice(5)}
            </Faint>
          ))}
        </Box>
      ) : (
        <AxisWords
          words={[first, `highest ${step}: ${highest === undefined ? 'none' : said(highest, measure)}`, last]}
        />
      )}
    </StackedBars>
  );
}
