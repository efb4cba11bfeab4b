import { Box, TableCell, TableRow } from '@mui/material';
import { Faint, formatAbsolute, formatCount, toneColor, usePrefs, type Evaluation } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { NUMBER, SmallTable, toRight } from '../fleet/Section';

const HEAD = [
  'Evaluation',
  'Model',
  ...['Right', 'Best constant', 'Facts said', 'Guessed', 'False alarms', 'Without a call', 'Judge agrees'].map(toRight),
  'Against',
];

const of = (part: number, whole: number): string => `${formatCount(part)} of ${formatCount(whole)}`;

function interval({ right_low, right_high }: Evaluation['summary']): string {
  if (right_low == null || right_high == null) return '';
  return ` (${right_low.toFixed(2)}–${right_high.toFixed(2)})`;
}

/** Changes against an older evaluation: cases that are no longer right, by name. */
function Against({ summary: { against } }: { summary: Evaluation['summary'] }): ReactElement {
  if (against == null) return <>–</>;
  return (
    <>
      {against.name}: +{against.improved.length}{' '}
      <span style={{ color: against.regressed.length > 0 ? toneColor.bad : undefined }}>
        −{against.regressed.length}
      </span>{' '}
      (p {against.p_of_cases.toFixed(2)})
      {against.regressed.length > 0 && <Faint component="div">no longer right: {against.regressed.join(', ')}</Faint>}
    </>
  );
}

/** Stored reports of `tarsy eval`, newest first. */
export function EvaluationTable({ evaluations }: { evaluations: readonly Evaluation[] }): ReactElement {
  const { zone } = usePrefs();
  return (
    <SmallTable label="Evaluations" head={HEAD}>
      {evaluations.map(({ evaluation_id, name, author, kept_at_us, summary }) => (
        <TableRow key={evaluation_id} data-testid="evaluation">
          <TableCell component="th" scope="row" sx={{ fontWeight: 600, minWidth: 140 }}>
            {name}
            <Faint component="div">
              {formatAbsolute(kept_at_us, zone).slice(0, 16)}, {author}
            </Faint>
          </TableCell>
          <TableCell>
            {summary.model}
            {summary.configuration != null && (
              <Box sx={{ fontSize: '0.75rem' }}>configuration {summary.configuration}</Box>
            )}
            <Box sx={{ color: 'text.secondary', fontSize: '0.75rem' }}>
              {summary.tags.map(({ tag, cases, right: good }) => `${tag} ${String(good)}/${String(cases)}`).join(', ')}
            </Box>
          </TableCell>
          <TableCell {...NUMBER}>
            {of(summary.right, summary.scored)}
            {interval(summary)}
          </TableCell>
          <TableCell {...NUMBER}>{of(summary.constant_right, summary.cases)}</TableCell>
          <TableCell {...NUMBER}>{of(summary.facts_said, summary.facts)}</TableCell>
          <TableCell {...NUMBER}>{formatCount(summary.guessed)}</TableCell>
          <TableCell {...NUMBER}>{of(summary.false_alarms, summary.healthy)}</TableCell>
          <TableCell {...NUMBER}>{formatCount(summary.without_call)}</TableCell>
          <TableCell {...NUMBER}>
            {summary.judge == null ? '–' : of(summary.judge.same, summary.judge.answered)}
          </TableCell>
          <TableCell sx={{ minWidth: 160 }}>
            <Against summary={summary} />
          </TableCell>
        </TableRow>
      ))}
    </SmallTable>
  );
}
