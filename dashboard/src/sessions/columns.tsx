import { cost, count, Hits, holds, Lasting, SeverityMark, severityTone, StageBar, StatusChip, Time, toneColor, toneSurface, type SessionLine, type StageMark } from '@tarsy/ui';
import { createColumnHelper } from '@tanstack/react-table';
import type { CSSProperties, ReactElement } from 'react';
import { Link } from 'react-router-dom';

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

// Plain elements and styles made once: rows come into view by the dozen while the list is scrolled.
const cut: CSSProperties = { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' };
const faint: CSSProperties = { ...cut, fontSize: '0.75rem', color: 'var(--mui-palette-text-secondary)' };
const wrong: CSSProperties = { ...faint, color: 'var(--mui-palette-error-main)' };
const found: CSSProperties = { ...faint, color: 'var(--mui-palette-text-primary)' };
const two: CSSProperties = { display: 'flex', flexDirection: 'column', gap: 1, width: '100%', minWidth: 0 };
const line: CSSProperties = { display: 'flex', alignItems: 'center', gap: 8, width: '100%', minWidth: 0 };
const name: CSSProperties = { ...cut, fontWeight: 550, flexShrink: 0, maxWidth: '75%', color: 'var(--mui-palette-text-primary)' };
const within: CSSProperties = { flexShrink: 0, fontSize: '0.6875rem', padding: '0 5px', borderRadius: 4, color: toneColor.warn, background: toneSurface('warn') };
const box: CSSProperties = { width: 15, height: 15, margin: 0, accentColor: 'var(--mui-palette-primary-main)', cursor: 'pointer' };

function StageCell({ session }: { session: SessionLine }): ReactElement {
  const ended = session.completed_stages + session.failed_stages;
  const label = `${String(ended)} of ${String(session.total_stages)} stages ended${session.failed_stages > 0 ? `, ${String(session.failed_stages)} failed` : ''}`;
  const current = session.current_stage_id?.replace(/_\d+$/, '');
  return (
    <div style={line}>
      <StageBar stages={marks(session)} label={label} />
      <span style={faint}>{session.status === 'in_progress' && current !== undefined ? current : `${String(ended)}/${String(session.total_stages)}`}</span>
    </div>
  );
}

/** What is to be said in one line: why it failed, what was found, or what goes on. */
export function gist(session: SessionLine): string {
  if (session.error_message != null) return session.error_message;
  if (session.headline != null) return session.headline;
  if (session.status === 'pending') return 'waits for a worker';
  return session.status === 'in_progress' ? 'is being investigated' : '';
}

/** Where a session is, and who told of it. */
function noteOf(session: SessionLine): string {
  const from = [session.source === 'api' ? null : session.source, session.author === 'api-client' ? null : session.author].filter((word) => word != null).join(', ');
  return [session.target, from].filter((word) => word != null && word !== '').join(' · ');
}

/** Whether what was searched for stands in none of what a line shows: in the alert's data, an error or the analysis. */
export const isWithin = (session: SessionLine, needle: string): boolean =>
  needle !== '' && ![session.alert_type, noteOf(session), gist(session)].some((text) => holds(text, needle));

function AlertCell({ session, search, narrow }: { session: SessionLine; search: string; narrow: boolean }): ReactElement {
  const needle = search.trim().length >= 3 ? search.trim() : '';
  const query = needle === '' ? '' : `?find=${encodeURIComponent(needle)}`;
  const note = noteOf(session);
  const said = gist(session);
  return (
    <div style={two}>
      <div style={{ ...line, alignItems: 'baseline' }}>
        <Link className="name" to={`/sessions/${session.session_id}${query}`} style={narrow ? { ...name, maxWidth: '100%' } : name}><Hits text={session.alert_type} needle={needle} /></Link>
        {session.duplicate_count > 0 && <span style={faint} title={`The same alert came ${String(session.duplicate_count)} times more`}>×{session.duplicate_count + 1}</span>}
        {!narrow && <span style={faint} title={note}><Hits text={note} needle={needle} /></span>}
        {isWithin(session, needle) && <span style={within} title="In the alert’s data, an error or the analysis">found inside</span>}
      </div>
      <div style={session.error_message == null ? said === session.headline ? found : faint : wrong} title={said}>
        {narrow && <span style={{ color: toneColor[severityTone(session.severity)] }}>{session.severity}{said === '' ? '' : ' · '}</span>}
        <Hits text={said} needle={needle} />
      </div>
    </div>
  );
}

/** A checkbox that may also be half set. */
function Check({ label, checked, partly = false, onChange }: { label: string; checked: boolean; partly?: boolean; onChange: (event: unknown) => void }): ReactElement {
  return <input type="checkbox" aria-label={label} checked={checked} ref={(input) => { if (input !== null) input.indeterminate = partly && !checked; }} onChange={onChange} style={box} />;
}

/** The columns; sizes are grid tracks. */
export const columns = (search: string, narrow: boolean) => [
  column.display({
    id: 'select', meta: { track: '34px' },
    header: ({ table }) => <Check label="Select all loaded sessions" checked={table.getIsAllRowsSelected()} partly={table.getIsSomeRowsSelected()} onChange={table.getToggleAllRowsSelectedHandler()} />,
    cell: ({ row }) => <Check label={`Select session ${row.original.session_id.slice(-6)}`} checked={row.getIsSelected()} onChange={row.getToggleSelectedHandler()} />,
  }),
  column.accessor('status', { header: 'Status', meta: { track: '112px' }, cell: ({ row }) => <StatusChip status={row.original.status} outcome={row.original.outcome} /> }),
  column.accessor('severity', { header: 'Severity', meta: { track: '80px' }, cell: ({ row }) => <SeverityMark severity={row.original.severity} /> }),
  column.accessor('alert_type', { header: 'Alert', meta: { track: 'minmax(160px, 1fr)' }, cell: ({ row }) => <AlertCell session={row.original} search={search} narrow={narrow} /> }),
  column.display({ id: 'stages', header: 'Stages', meta: { track: '128px' }, cell: ({ row }) => <StageCell session={row.original} /> }),
  column.accessor('started_at_us', { header: 'Started', meta: { track: 'var(--started)' }, cell: ({ row }) => <Time us={row.original.started_at_us} /> }),
  column.accessor('duration_ms', { header: 'Took', meta: { track: '78px', right: true }, cell: ({ row }) => <Lasting startUs={row.original.started_at_us} endUs={row.original.completed_at_us} /> }),
  column.display({ id: 'tokens', header: 'Tokens', meta: { track: '60px', right: true }, cell: ({ row }) => count(row.original.input_tokens == null ? null : row.original.input_tokens + (row.original.output_tokens ?? 0)) }),
  column.accessor('cost_usd', { header: 'Cost', meta: { track: '60px', right: true }, cell: ({ row }) => <span title="Estimated; a lower bound where a price is missing">{cost(row.original.cost_usd)}</span> }),
  column.display({ id: 'chain', header: 'Chain', meta: { track: '190px' }, cell: ({ row }) => <span style={faint} title={row.original.chain_id}>{row.original.chain_id}</span> }),
];

declare module '@tanstack/react-table' {
  // The names of the parameters are fixed by the library.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  interface ColumnMeta<TData, TValue> { track: string; right?: boolean }
}
