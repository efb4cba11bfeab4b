import { TableCell, Tooltip } from '@mui/material';
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
import { NUMBER, SmallTable, toRight } from '../fleet/Section';
import { change, completeness, failedShare, sessionsOf } from './usage';
import { GroupRow, TotalRow } from './rows';

/** Cells with the sums of a row. Tools have neither tokens nor cost. */
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
        <TableCell {...NUMBER}>
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
      <TableCell {...NUMBER}>
        {before === undefined
          ? '…'
          : isTool
            ? change(sums.calls, before?.calls ?? 0)
            : change(sums.cost_usd, before?.cost_usd ?? 0)}
      </TableCell>
      <TableCell {...NUMBER}>{formatCount(sums.calls)}</TableCell>
      <TableCell {...NUMBER}>
        <span style={{ color: sums.failed > 0 ? toneColor.bad : undefined }}>
          {formatCount(sums.failed)} ({failedShare(sums)})
        </span>
      </TableCell>
      {!isTool && (
        <>
          <TableCell {...NUMBER}>{formatCount(sums.input_tokens)}</TableCell>
          <TableCell {...NUMBER}>{formatCount(sums.cached_tokens)}</TableCell>
          <TableCell {...NUMBER}>{formatCount(sums.output_tokens)}</TableCell>
        </>
      )}
      <TableCell {...NUMBER}>{formatDuration(sums.mean_duration_ms)}</TableCell>
      <TableCell {...NUMBER}>{formatDuration(sums.max_duration_ms)}</TableCell>
      {!isTool && <TableCell sx={{ whiteSpace: 'nowrap' }}>{sums.prices.join(', ') || '–'}</TableCell>}
    </>
  );
}

const CALLS = ['Change', 'Calls', 'Failed'].map(toRight);
const TIMES = ['Mean', 'Longest'].map(toRight);
const TOKENS = ['Input', 'Cached', 'Output'].map(toRight);

/** Sums by group and their total, each with its change against the preceding period of the same length. */
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
  const head = isTool ? [name, ...CALLS, ...TIMES] : [name, toRight('Cost'), ...CALLS, ...TOKENS, ...TIMES, 'Price'];
  return (
    <SmallTable label={`Usage by ${by}`} head={head}>
      {usage.groups.map((group) => {
        const to = sessionsOf(by, group.name, usage);
        const name = group.name ?? '(others)';
        return (
          <GroupRow key={name} testid="usage-group" name={name} to={to}>
            <Figures
              sums={group}
              before={before === undefined ? undefined : (before.groups.find((one) => one.name === group.name) ?? null)}
              isTool={isTool}
            />
          </GroupRow>
        );
      })}
      <TotalRow testid="usage-total">
        <Figures sums={usage.total} before={before?.total} isTool={isTool} />
      </TotalRow>
    </SmallTable>
  );
}
