import { Link as MuiLink, TableCell, TableRow, Tooltip } from '@mui/material';
import {
  formatCost,
  formatCount,
  formatDuration,
  toneColor,
  type Usage,
  type UsageBy,
  type UsageSums,
} from '@tarsy/ui';
import type { ReactElement } from 'react';
import { Link } from 'react-router-dom';
import { SmallTable } from '../fleet/Section';
import { change, completeness, failedShare, sessionsOf } from './usage';

const right = { align: 'right', sx: { fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' } } as const;

/** Cells of a row's sums; tools have neither tokens nor cost. */
function Figures({
  sums,
  before,
  isTool,
}: {
  sums: UsageSums;
  before: UsageSums | null | undefined;
  isTool: boolean;
}): ReactElement {
  return (
    <>
      {!isTool && (
        <TableCell {...right}>
          <Tooltip
            describeChild
            title={
              sums.is_cost_complete ? 'Estimate, every token is priced.' : 'A lower bound: some tokens have no price.'
            }
          >
            <span>{formatCost(sums.cost_usd, completeness(sums))}</span>
          </Tooltip>
        </TableCell>
      )}
      <TableCell {...right}>
        {before === undefined
          ? '…'
          : isTool
            ? change(sums.calls, before?.calls ?? 0)
            : change(sums.cost_usd, before?.cost_usd ?? 0)}
      </TableCell>
      <TableCell {...right}>{formatCount(sums.calls)}</TableCell>
      <TableCell {...right}>
        <span style={{ color: sums.failed > 0 ? toneColor.bad : undefined }}>
          {formatCount(sums.failed)} ({failedShare(sums)})
        </span>
      </TableCell>
      {!isTool && (
        <>
          <TableCell {...right}>{formatCount(sums.input_tokens)}</TableCell>
          <TableCell {...right}>{formatCount(sums.cached_tokens)}</TableCell>
          <TableCell {...right}>{formatCount(sums.output_tokens)}</TableCell>
        </>
      )}
      <TableCell {...right}>{formatDuration(sums.mean_duration_ms)}</TableCell>
      <TableCell {...right}>{formatDuration(sums.max_duration_ms)}</TableCell>
      {!isTool && <TableCell sx={{ whiteSpace: 'nowrap' }}>{sums.prices.join(', ') || '–'}</TableCell>}
    </>
  );
}

const CALLS = [
  ['Change', 'right'],
  ['Calls', 'right'],
  ['Failed', 'right'],
] as const;
const TIMES = [
  ['Mean', 'right'],
  ['Longest', 'right'],
] as const;
const TOKENS = [
  ['Input', 'right'],
  ['Cached', 'right'],
  ['Output', 'right'],
] as const;

/** Sums by group and their total, each with its change against the same time before. */
export function UsageTable({
  usage,
  before,
  by,
}: {
  usage: Usage;
  before: Usage | undefined;
  by: UsageBy;
}): ReactElement {
  const isTool = by === 'tool';
  const name = by.charAt(0).toUpperCase() + by.slice(1);
  const head = isTool
    ? [name, ...CALLS, ...TIMES]
    : [name, ['Cost', 'right'] as const, ...CALLS, ...TOKENS, ...TIMES, 'Price'];
  return (
    <SmallTable label={`Usage by ${by}`} head={head}>
      {usage.groups.map((group) => {
        const to = sessionsOf(by, group.name, usage);
        const name = group.name ?? '(others)';
        return (
          <TableRow key={name} data-testid="usage-group">
            <TableCell component="th" scope="row" sx={{ fontWeight: 600, overflowWrap: 'anywhere', minWidth: 170 }}>
              {to === null ? (
                name
              ) : (
                <MuiLink component={Link} to={to} title="Sessions that started in this time">
                  {name}
                </MuiLink>
              )}
            </TableCell>
            <Figures
              sums={group}
              before={before === undefined ? undefined : (before.groups.find((one) => one.name === group.name) ?? null)}
              isTool={isTool}
            />
          </TableRow>
        );
      })}
      <TableRow data-testid="usage-total" sx={{ '& td, & th': { fontWeight: 650 }, '& > th': { borderBottom: 0 } }}>
        <TableCell component="th" scope="row">
          Total
        </TableCell>
        <Figures sums={usage.total} before={before?.total} isTool={isTool} />
      </TableRow>
    </SmallTable>
  );
}
