import { Link as MuiLink, TableCell, TableRow } from '@mui/material';
import { formatCount, type Quality, type QualitySums } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { Link } from 'react-router-dom';
import { SmallTable } from '../fleet/Section';
import { ratings, sessionsOf, sessionsWith, share, VERDICTS } from './quality';

const right = { align: 'right', sx: { fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' } } as const;
const toRight = (name: string): readonly [string, 'right'] => [name, 'right'];

/** What people say of the answers of each verdict. A verdict that says more than people do is a fault of the check. */
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
          <TableCell {...right}>{formatCount(sessionsWith(total, verdict))}</TableCell>
          <TableCell {...right}>{share(sessionsWith(total, verdict), total.sessions)}</TableCell>
          <TableCell {...right}>{formatCount(total.verdicts[verdict]?.right ?? 0)}</TableCell>
          <TableCell {...right}>{formatCount(total.verdicts[verdict]?.partly_right ?? 0)}</TableCell>
          <TableCell {...right}>{formatCount(total.verdicts[verdict]?.wrong ?? 0)}</TableCell>
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
      <TableCell {...right}>{formatCount(sums.sessions)}</TableCell>
      <TableCell {...right}>{of(sessionsWith(sums, 'supported') + sessionsWith(sums, 'no_fault'))}</TableCell>
      <TableCell {...right}>{of(sessionsWith(sums, 'unsupported'))}</TableCell>
      <TableCell {...right}>{of(sums.without_call)}</TableCell>
      <TableCell {...right}>{of(sums.guessing)}</TableCell>
      <TableCell {...right}>{share(sums.found, sums.checked)}</TableCell>
      <TableCell {...right}>{of(sums.with_gap)}</TableCell>
      <TableCell {...right}>{share(sums.failed_calls, sums.calls)}</TableCell>
      <TableCell {...right}>
        {rated.all === 0 ? '–' : `${share(rated.right, rated.all)} of ${formatCount(rated.all)}`}
      </TableCell>
      <TableCell {...right}>
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
        const shown = group.name === '' ? '(none)' : (group.name ?? '(others)');
        return (
          <TableRow key={shown} data-testid="quality-group">
            <TableCell component="th" scope="row" sx={{ fontWeight: 600, overflowWrap: 'anywhere', minWidth: 170 }}>
              {by === 'chain' && group.name != null ? (
                <MuiLink
                  component={Link}
                  to={sessionsOf({ chain: group.name }, quality)}
                  title="Sessions that started in this time"
                >
                  {shown}
                </MuiLink>
              ) : (
                shown
              )}
            </TableCell>
            <Figures sums={group} />
          </TableRow>
        );
      })}
      <TableRow data-testid="quality-total" sx={{ '& td, & th': { fontWeight: 650 }, '& > th': { borderBottom: 0 } }}>
        <TableCell component="th" scope="row">
          Total
        </TableCell>
        <Figures sums={quality.total} />
      </TableRow>
    </SmallTable>
  );
}
