import {
  formatCost,
  formatCount,
  Highlight,
  containsText,
  Elapsed,
  SeverityMark,
  severityTone,
  StageBar,
  StatusChip,
  Time,
  toneColor,
  verdictTone,
  waitCause,
  type SessionLine,
  type StageMark,
} from '@tarsy/ui';
import type { ReactNode } from 'react';
import { ratingLabel } from '../session/ratings';
import type { SortName } from './filters';
import { whole } from './total';

/** Context shared by all rows. */
export interface Shown {
  /** Search text to highlight; empty: none, or too short. */
  needle: string;
  narrow: boolean;
  /** Session URL up to the id, and the query string after it. */
  address: string;
  query: string;
  onToggle: (id: string) => void;
}

export interface Column {
  id: string;
  header: string;
  /** CSS grid track of the column. */
  track: string;
  right?: boolean;
  /** Sort order that the header selects. */
  sort?: SortName;
  /** Renders a cell. Not a component, because a row of components would cost several times as much. */
  cell: (session: SessionLine, shown: Shown, selected: boolean) => ReactNode;
}

/** Segments of the stage bar, in chain order. Empty with an older API. */
export const marks = (session: SessionLine): StageMark[] =>
  (session.stage_states ?? []).map(({ name, status }) => ({
    name,
    status: status === 'not_started' ? 'not started' : status,
  }));

/** Statuses that count as done: a skipped stage is done, a failed one is not. */
const DONE = new Set(['completed', 'skipped']);

/** Statuses of the stages that readers look for: failed and waiting ones. */
const NOTED = new Set(['failed', 'waiting']);

function stages(session: SessionLine): ReactNode {
  const bar = marks(session);
  const done = bar.length === 0 ? session.completed_stages : bar.filter(({ status }) => DONE.has(status)).length;
  const noted = bar.filter(({ status }) => NOTED.has(status)).map(({ name, status }) => `, ${name} ${status}`);
  const current = session.current_stage_id?.replace(/_\d+$/, '');
  return (
    <div className="stages">
      <StageBar
        stages={bar}
        label={`${String(done)} of ${String(session.total_stages)} stages done${noted.join('')}`}
      />
      {session.status === 'in_progress' && current !== undefined ? (
        <span className="cut">{current}</span>
      ) : (
        session.total_stages > 0 && (
          <span className="faint">
            {done}/{session.total_stages}
          </span>
        )
      )}
    </div>
  );
}

/** One-line summary: error, finding or status. */
export function summaryLine(session: SessionLine): string {
  if (session.incident?.summary?.headline != null) return session.incident.summary.headline;
  if (session.error_message != null) return session.error_message;
  if (session.headline != null) return session.headline;
  if (session.waiting != null) return waitCause(session.waiting);
  if (session.status === 'pending') return 'Waiting for a worker';
  return session.status === 'in_progress' ? 'Investigating' : '';
}

/** The alert's name, which a sender may set separately from its type. */
const nameOf = (session: SessionLine): string => session.alert_name ?? session.alert_type;

/** Target, source and author of a session, and its alert type if that is not the name. */
function noteOf(session: SessionLine): string {
  const from = [
    session.source === 'api' ? null : session.source,
    session.author === 'api-client' ? null : session.author,
  ]
    .filter((word) => word != null)
    .join(', ');
  const type = nameOf(session) === session.alert_type ? null : session.alert_type;
  return [type, session.target, from].filter((word) => word != null && word !== '').join(' · ');
}

/** Whether the search matches only text that the row does not show. */
export const matchesDetailsOnly = (session: SessionLine, needle: string): boolean =>
  needle !== '' && ![nameOf(session), noteOf(session), summaryLine(session)].some((text) => containsText(text, needle));

const marked = (text: string, needle: string): ReactNode =>
  needle === '' ? text : <Highlight text={text} needle={needle} />;

/** Acknowledgement, assignee and rating as labels. */
export function triageLabels(session: SessionLine): string[] {
  return [
    ...(session.acknowledged_at_us == null ? [] : ['acknowledged']),
    ...(session.assignee == null ? [] : [`assigned to ${session.assignee}`]),
    ...(session.rating == null ? [] : [ratingLabel(session.rating)]),
  ];
}

function care(session: SessionLine): ReactNode {
  const said = triageLabels(session);
  return (
    said.length > 0 && (
      <span
        className="care"
        title={session.acknowledged_by == null ? undefined : `Acknowledged by ${session.acknowledged_by}`}
      >
        {said.join(', ')}
      </span>
    )
  );
}

function verdictMark(session: SessionLine): ReactNode {
  const shown = verdictTone(session.verdict);
  return (
    shown !== null && (
      <span className="verdict" title={session.verdict_summary ?? undefined} style={{ color: toneColor[shown.tone] }}>
        {shown.label}
      </span>
    )
  );
}

/** Link to the incident that a session belongs to, or that it represents in the list. */
function incidentMark({ incident }: SessionLine, address: string): ReactNode {
  if (incident == null) return null;
  const { incident_id: id, members, summary } = incident;
  const cost = summary?.cost_usd == null ? '' : `, ${formatCost(summary.cost_usd, 'complete')}`;
  const waiting =
    summary == null || summary.open_approvals === 0 ? '' : `, ${String(summary.open_approvals)} to decide`;
  return (
    <a
      className="incident"
      data-incident={id}
      href={`${address.replace(/\/$/, '')}?incident=${id}`}
      title="Sessions that belong together"
    >
      {summary == null ? `incident of ${whole(members)}` : `${whole(members)} alerts${cost}${waiting}`}
    </a>
  );
}

function alert(session: SessionLine, { needle, narrow, address, query }: Shown): ReactNode {
  const note = noteOf(session);
  const said = summaryLine(session);
  return (
    <div className="two">
      <div className="row">
        <a className="name" href={`${address}${session.session_id}${query}`}>
          {marked(nameOf(session), needle)}
        </a>
        {session.incident?.summary != null && incidentMark(session, address)}
        {narrow ? (
          <span className="faint" title={session.target ?? ''}>
            {marked(nearTarget(session.target ?? ''), needle)}
          </span>
        ) : (
          <span className="faint" title={note}>
            {marked(note, needle)}
          </span>
        )}
        {session.duplicate_count > 0 && (
          <span className="faint" title={`${String(session.duplicate_count)} duplicate alerts`}>
            ×{session.duplicate_count + 1}
          </span>
        )}
        {verdictMark(session)}
        {session.label != null && (
          <span className="verdict" title="Label that the agent gave">
            {session.label}
          </span>
        )}
        {care(session)}
        {session.incident?.summary == null && incidentMark(session, address)}
        {matchesDetailsOnly(session, needle) && (
          <span className="within" title="Found in the alert data, an error or the analysis">
            match in details
          </span>
        )}
      </div>
      <div
        className={session.error_message == null ? (said === session.headline ? 'said found' : 'said') : 'said wrong'}
        title={said}
      >
        {narrow && <span style={{ color: toneColor[severityTone(session.severity)] }}>{session.severity} · </span>}
        {narrow && (
          <>
            <Time us={session.started_at_us} />
            {said === '' ? '' : ' · '}
          </>
        )}
        {marked(said, needle)}
      </div>
    </div>
  );
}

/** Target without its cluster, for a phone: `shop / cart-7f` of `prod-eu-1 / shop / cart-7f`. */
export function nearTarget(target: string): string {
  const parts = target.split(' / ');
  return parts.length > 2 ? parts.slice(1).join(' / ') : target;
}

const tokens = (session: SessionLine): string =>
  formatCount(session.input_tokens == null ? null : session.input_tokens + (session.output_tokens ?? 0));

/** All columns of the list. Widths are grid tracks. */
export const COLUMNS: readonly Column[] = [
  {
    id: 'select',
    header: '',
    track: '34px',
    cell: (session, { onToggle }, selected) => (
      <input
        type="checkbox"
        aria-label={`Select session ${session.session_id.slice(-6)}`}
        checked={selected}
        onChange={() => {
          onToggle(session.session_id);
        }}
      />
    ),
  },
  {
    id: 'status',
    header: 'Status',
    track: '126px',
    cell: (session) => (
      <StatusChip
        status={session.status}
        outcome={session.outcome}
        waiting={session.waiting}
        verdict={session.verdict}
      />
    ),
  },
  {
    id: 'severity',
    header: 'Severity',
    sort: 'severity',
    track: '80px',
    cell: (session) => <SeverityMark severity={session.severity} />,
  },
  { id: 'alert_type', header: 'Alert', track: 'minmax(160px, 1fr)', cell: alert },
  { id: 'stages', header: 'Stages', track: '128px', cell: stages },
  {
    id: 'started_at_us',
    header: 'Started',
    sort: 'started',
    track: 'var(--started)',
    cell: (session) => <Time us={session.started_at_us} />,
  },
  {
    id: 'completed_at_us',
    header: 'Ended',
    sort: 'ended',
    track: 'var(--started)',
    cell: (session) => (session.completed_at_us == null ? '–' : <Time us={session.completed_at_us} />),
  },
  {
    id: 'duration_ms',
    header: 'Duration',
    sort: 'duration',
    track: '88px',
    right: true,
    cell: (session) => <Elapsed startUs={session.started_at_us} endUs={session.completed_at_us} />,
  },
  { id: 'tokens', header: 'Tokens', track: '60px', right: true, cell: tokens },
  {
    id: 'cost_usd',
    header: 'Cost',
    sort: 'cost',
    track: '66px',
    right: true,
    cell: (session) => (
      <span title="Estimate. A lower bound if prices are missing.">{formatCost(session.cost_usd)}</span>
    ),
  },
  {
    id: 'chain',
    header: 'Chain',
    track: '190px',
    cell: (session) => (
      <span className="cut" title={session.chain_id}>
        {session.chain_id}
      </span>
    ),
  },
];
