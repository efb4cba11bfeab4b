import { Link as MuiLink, TableCell, TableRow } from '@mui/material';
import { formatCount, type Quality, type QualitySums } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { Link } from 'react-router-dom';
import { NUMBER, SmallTable, toRight } from '../fleet/Section';
import { ratings, sessionsOf, sessionsWith, share, VERDICTS } from './quality';
import { GroupRow, TotalRow } from '../usage/rows';

/** People's ratings of answers by verdict. If a verdict is better than its ratings, the check is at fault. */
export function VerdictTable({ quality }: { quality: Quality }): ReactElement {
  const { total } = quality;
  return (
    <SmallTable
      label="Verdicts and ratings"
      head={['Verdict', ...['Sessions', 'Share', 'Rated correct', 'Partly correct', 'Wrong'].map(toRight)]}
    >
      {VERDICTS.filter(([verdict]) => sessionsWith(total, verdict) > 0).map(([verdict, name]) => (
        <TableRow key={verdict} data-testid="quality-verdict">
          <TableCell component="th" scope="row" sx={{ fontWeight: 600, whiteSpace: 'nowrap' }}>
            <MuiLink component={Link} to={sessionsOf({ verdict }, quality)} title="Sessions that started in this time">
              {name}
            </MuiLink>
          </TableCell>
          <TableCell {...NUMBER}>{formatCount(sessionsWith(total, verdict))}</TableCell>
          <TableCell {...NUMBER}>{share(sessionsWith(total, verdict), total.sessions)}</TableCell>
          <TableCell {...NUMBER}>{formatCount(total.verdicts[verdict]?.right ?? 0)}</TableCell>
          <TableCell {...NUMBER}>{formatCount(total.verdicts[verdict]?.partly_right ?? 0)}</TableCell>
          <TableCell {...NUMBER}>{formatCount(total.verdicts[verdict]?.wrong ?? 0)}</TableCell>
        </TableRow>
      ))}
    </SmallTable>
  );
}

function Figures({ sums }: { sums: QualitySums }): ReactElement {
  const rated = ratings(sums);
  const of = (part: number): string => share(part, sums.sessions);
  return (
    <>
      <TableCell {...NUMBER}>{formatCount(sums.sessions)}</TableCell>
      <TableCell {...NUMBER}>{of(sessionsWith(sums, 'supported') + sessionsWith(sums, 'no_fault'))}</TableCell>
      <TableCell {...NUMBER}>{of(sessionsWith(sums, 'unsupported'))}</TableCell>
      <TableCell {...NUMBER}>{of(sums.without_call)}</TableCell>
      <TableCell {...NUMBER}>{of(sums.guessing)}</TableCell>
      <TableCell {...NUMBER}>{share(sums.found, sums.checked)}</TableCell>
      <TableCell {...NUMBER}>{of(sums.with_gap)}</TableCell>
      <TableCell {...NUMBER}>{share(sums.failed_calls, sums.calls)}</TableCell>
      <TableCell {...NUMBER}>
        {rated.all === 0 ? '–' : `${share(rated.right, rated.all)} of ${formatCount(rated.all)}`}
      </TableCell>
      <TableCell {...NUMBER}>
        {sums.sessions === 0 ? '–' : formatCount(Math.round(sums.tokens / sums.sessions))}
      </TableCell>
    </>
  );
}

const HEAD = [
  'Sessions',
  'Supported',
  'Unsupported',
  'Without a call',
  'Unknown names',
  'Found',
  'Silent source',
  'Failed calls',
  'Rated correct',
  'Tokens each',
].map(toRight);

/** Sums by chain, model or configuration, and their total. */
export function GroupTable({
  quality,
  by,
}: {
  quality: Quality;
  by: 'chain' | 'model' | 'configuration';
}): ReactElement {
  const name = by.charAt(0).toUpperCase() + by.slice(1);
  return (
    <SmallTable label={`Quality by ${by}`} head={[name, ...HEAD]}>
      {quality.groups.map((group) => {
        const name = group.name === '' ? '(none)' : (group.name ?? '(others)');
        const to = by === 'chain' && group.name != null ? sessionsOf({ chain: group.name }, quality) : null;
        return (
          <GroupRow key={name} testid="quality-group" name={name} to={to}>
            <Figures sums={group} />
          </GroupRow>
        );
      })}
      <TotalRow testid="quality-total">
        <Figures sums={quality.total} />
      </TotalRow>
    </SmallTable>
  );
}
