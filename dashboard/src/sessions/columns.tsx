import { Box, Checkbox, Link, Tooltip, Typography } from '@mui/material';
import { cost, count, Lasting, SeverityMark, StageBar, StatusChip, Time, type SessionLine, type StageMark } from '@tarsy/ui';
import { createColumnHelper } from '@tanstack/react-table';
import type { ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';

const column = createColumnHelper<SessionLine>();

/** A list tells how many stages made it, not which: those that did are drawn first. */
export function marks(session: SessionLine): StageMark[] {
  const { total_stages: total, completed_stages: done, failed_stages: failed, status } = session;
  const running = status === 'in_progress' && done + failed < total ? 1 : 0;
  return Array.from({ length: total }, (_, at) => ({
    name: `stage ${String(at + 1)}`,
    status: at < done ? 'completed' : at < done + failed ? 'failed' : at < done + failed + running ? 'active' : 'not begun',
  }));
}

function StageCell({ session }: { session: SessionLine }): ReactElement {
  const ended = session.completed_stages + session.failed_stages;
  const label = `${String(ended)} of ${String(session.total_stages)} stages ended${session.failed_stages > 0 ? `, ${String(session.failed_stages)} failed` : ''}`;
  const name = session.current_stage_id?.replace(/_\d+$/, '');
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, width: '100%' }}>
      <StageBar stages={marks(session)} label={label} />
      <Typography variant="caption" color="text.secondary" noWrap>
        {session.status === 'in_progress' && name !== undefined ? name : `${String(ended)}/${String(session.total_stages)}`}
      </Typography>
    </Box>
  );
}

function AlertCell({ session, search }: { session: SessionLine; search: string }): ReactElement {
  const query = search.trim().length >= 3 ? `?find=${encodeURIComponent(search.trim())}` : '';
  const note = session.error_message ?? [session.source === 'api' ? null : session.source, session.author === 'api-client' ? null : session.author].filter((word) => word != null).join(', ');
  return (
    <Box sx={{ minWidth: 0, width: '100%', display: 'flex', gap: 1, alignItems: 'baseline' }}>
      <Link component={RouterLink} to={`/sessions/${session.session_id}${query}`} underline="hover" color="text.primary" noWrap sx={{ fontWeight: 550, flexShrink: 0, maxWidth: '85%' }}>
        {session.alert_type}
      </Link>
      {session.duplicate_count > 0 && <Tooltip title={`The same alert came ${String(session.duplicate_count)} times more`}><Typography variant="caption" color="text.secondary">×{session.duplicate_count + 1}</Typography></Tooltip>}
      <Typography variant="caption" color={session.error_message == null ? 'text.secondary' : 'error'} noWrap title={note}>{note}</Typography>
    </Box>
  );
}

/** The columns; sizes are grid tracks. */
export const columns = (search: string) => [
  column.display({
    id: 'select', meta: { track: '34px' },
    header: ({ table }) => <Checkbox size="small" sx={{ p: 0.5 }} checked={table.getIsAllRowsSelected()} indeterminate={table.getIsSomeRowsSelected()} onChange={table.getToggleAllRowsSelectedHandler()} slotProps={{ input: { 'aria-label': 'Select all loaded sessions' } }} />,
    cell: ({ row }) => <Checkbox size="small" sx={{ p: 0.5 }} checked={row.getIsSelected()} onChange={row.getToggleSelectedHandler()} slotProps={{ input: { 'aria-label': `Select session ${row.original.session_id.slice(-6)}` } }} />,
  }),
  column.accessor('status', { header: 'Status', meta: { track: '116px' }, cell: ({ row }) => <StatusChip status={row.original.status} outcome={row.original.outcome} /> }),
  column.accessor('severity', { header: 'Severity', meta: { track: '92px' }, cell: ({ row }) => <SeverityMark severity={row.original.severity} /> }),
  column.accessor('alert_type', { header: 'Alert', meta: { track: 'minmax(140px, 1fr)' }, cell: ({ row }) => <AlertCell session={row.original} search={search} /> }),
  column.display({ id: 'stages', header: 'Stages', meta: { track: '160px' }, cell: ({ row }) => <StageCell session={row.original} /> }),
  column.accessor('started_at_us', { header: 'Started', meta: { track: 'minmax(76px, 150px)' }, cell: ({ row }) => <Time us={row.original.started_at_us} /> }),
  column.accessor('duration_ms', { header: 'Took', meta: { track: '88px', right: true }, cell: ({ row }) => <Lasting startUs={row.original.started_at_us} endUs={row.original.completed_at_us} /> }),
  column.display({ id: 'tokens', header: 'Tokens', meta: { track: '72px', right: true }, cell: ({ row }) => count(row.original.input_tokens == null ? null : row.original.input_tokens + (row.original.output_tokens ?? 0)) }),
  column.accessor('cost_usd', { header: 'Cost', meta: { track: '72px', right: true }, cell: ({ row }) => <Tooltip title="Estimated; a lower bound where a price is missing"><span>{cost(row.original.cost_usd)}</span></Tooltip> }),
  column.display({ id: 'chain', header: 'Chain', meta: { track: '190px' }, cell: ({ row }) => <Typography variant="caption" color="text.secondary" noWrap title={row.original.chain_id}>{row.original.chain_id}</Typography> }),
];

declare module '@tanstack/react-table' {
  // The names of the parameters are fixed by the library.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  interface ColumnMeta<TData, TValue> { track: string; right?: boolean }
}
