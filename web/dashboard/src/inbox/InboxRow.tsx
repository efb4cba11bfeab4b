import { styled } from '@mui/material/styles';
import {
  clamped,
  Coded,
  isHeld,
  plainError,
  SeverityMark,
  StatusChip,
  Time,
  ToneChip,
  VerdictChip,
  visible,
  type SessionLine,
  type Wait,
} from '@tarsy/ui';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { Remaining } from '../approvals/Remaining';
import { summaryLine } from '../sessions/columns';

const Row = styled('li')(({ theme }) => ({
  position: 'relative',
  display: 'grid',
  gap: 2,
  padding: theme.spacing(1, 1.5),
  borderBottom: '1px solid var(--mui-palette-divider)',
  '&:last-of-type': { borderBottom: 0 },
  '&:hover': { background: 'var(--mui-palette-action-hover)' },
  '& > .head': {
    display: 'flex',
    flexWrap: 'wrap',
    columnGap: 10,
    rowGap: 2,
    alignItems: 'center',
    fontSize: '0.8125rem',
  },
  '& > .head > a': {
    fontWeight: 600,
    color: 'inherit',
    textDecoration: 'none',
    overflowWrap: 'anywhere',
    // The whole row is the link.
    '&::after': { content: '""', position: 'absolute', inset: 0 },
    '&:focus-visible': { outline: 0 },
    '&:focus-visible::after': { outline: '2px solid var(--mui-palette-primary-main)', outlineOffset: -2 },
  },
  '& > .head > .faint': { color: 'var(--mui-palette-text-secondary)', overflowWrap: 'anywhere', minWidth: 0 },
  '& > .head > .when': { marginLeft: 'auto', color: 'var(--mui-palette-text-secondary)', whiteSpace: 'nowrap' },
  '& > .said': { fontSize: '0.8125rem', overflowWrap: 'anywhere', ...clamped(2) },
}));

const Storm = styled('li')(({ theme }) => ({
  padding: theme.spacing(1, 1.5),
  borderBottom: '1px solid var(--mui-palette-divider)',
  fontSize: '0.8125rem',
  '&:last-of-type': { borderBottom: 0 },
  '& summary': { display: 'flex', flexWrap: 'wrap', columnGap: 10, rowGap: 2, alignItems: 'center', cursor: 'pointer' },
  '& summary::before': { content: '"▸"', color: 'var(--mui-palette-text-secondary)' },
  '& details[open] > summary::before': { content: '"▾"' },
  '& summary > b': { fontWeight: 600, overflowWrap: 'anywhere' },
  '& summary > .faint': { color: 'var(--mui-palette-text-secondary)', overflowWrap: 'anywhere', minWidth: 0 },
  '& ul': { listStyle: 'none', margin: theme.spacing(1, 0), padding: 0 },
  '& a': { color: 'inherit' },
}));

/** Rows of one part of the inbox. */
export const Rows = styled('ul')(({ theme }) => ({
  listStyle: 'none',
  margin: 0,
  padding: 0,
  border: '1px solid var(--mui-palette-divider)',
  borderRadius: theme.shape.borderRadius,
  background: 'var(--mui-palette-background-paper)',
  overflow: 'hidden',
}));

interface RowProps {
  id: string;
  name: string;
  chip: ReactNode;
  severity: string;
  target: string | null | undefined;
  when: ReactNode;
  said: string;
}

function InboxRow({ id, name, chip, severity, target, when, said }: RowProps): ReactElement {
  return (
    <Row data-testid="inbox-row" data-id={id}>
      <div className="head">
        {chip}
        <Link to={`/sessions/${id}`}>{name}</Link>
        <SeverityMark severity={severity} />
        {target != null && target !== '' && <span className="faint">{target}</span>}
        <span className="when">{when}</span>
      </div>
      {said !== '' && (
        <div className="said">
          <Coded text={visible(said)} />
        </div>
      )}
    </Row>
  );
}

/** Fields of a row that name a storm. A storm is named after its first row. */
export type Named = Pick<SessionLine, 'alert_name' | 'alert_type' | 'severity' | 'target'> & { state: string };

/** Place of a wait, in the format of session lists. */
export const placeOf = ({ cluster, namespace, object }: Wait): string =>
  [cluster, namespace, object].filter((part) => part != null && part !== '').join(' / ');

/** Label of the requested decision. */
export const askedFor = (wait: Wait): string =>
  isHeld(wait) ? 'held' : wait.sort === 'tool_call' ? 'call needs approval' : 'needs approval';

/** Counts the rows in each state: `failed (12), completed (1)`. */
function counted(rows: readonly Named[]): string {
  const numbers = new Map<string, number>();
  for (const { state } of rows) numbers.set(state, (numbers.get(state) ?? 0) + 1);
  return [...numbers]
    .sort(([, a], [, b]) => b - a)
    .map(([state, number]) => `${state} (${String(number)})`)
    .join(', ');
}

/** Collapsed row for one incident. Expanded, it shows each of its rows. */
export function StormRow({
  incident,
  members,
  rows,
  children,
}: {
  incident: string;
  members: number;
  rows: readonly Named[];
  children: ReactElement[];
}): ReactElement {
  const [first] = rows;
  return (
    <Storm data-testid="inbox-storm" data-id={incident}>
      <details>
        <summary>
          <ToneChip plain tone="run" label={`incident, ${String(children.length)} of ${String(members)} alerts`} />
          <b>{first?.alert_name ?? first?.alert_type}</b>
          {first !== undefined && <SeverityMark severity={first.severity} />}
          <span className="faint">{first?.target}</span>
          <span>{counted(rows)}</span>
        </summary>
        <ul aria-label="Of this incident">{children}</ul>
        <Link to={`/sessions?incident=${incident}`}>All of the incident</Link>
      </details>
    </Storm>
  );
}

/** Row of a session, with its result or the reason why it waits. */
export function SessionRow({ session }: { session: SessionLine }): ReactElement {
  return (
    <InboxRow
      id={session.session_id}
      name={session.alert_name ?? session.alert_type}
      severity={session.severity}
      target={session.target}
      said={session.error_message == null ? summaryLine(session) : plainError(session.error_message)}
      when={<Time us={session.completed_at_us ?? session.started_at_us} />}
      chip={
        <>
          <StatusChip {...session} />
          <VerdictChip verdict={session.verdict} summary={session.verdict_summary} />
        </>
      }
    />
  );
}

/** Row of an approval that waits for a decision. */
export function WaitRow({ wait }: { wait: Wait }): ReactElement {
  return (
    <InboxRow
      id={wait.session_id}
      name={wait.alert_name ?? wait.alert_type}
      severity={wait.severity}
      target={placeOf(wait)}
      said={[wait.question, wait.headline].filter((text) => text != null && text !== '').join('. ')}
      when={<Remaining us={wait.expires_at_us} />}
      chip={<ToneChip tone={isHeld(wait) ? 'rest' : 'warn'} label={askedFor(wait)} />}
    />
  );
}
