import { Box } from '@mui/material';
import { styled } from '@mui/material/styles';
import { BARE_LIST, Faint, mono, pluralize, statusTone, toneColor, type ReadSession } from '@tarsy/ui';
import { useMemo, type ReactElement } from 'react';
import { MOST_CALLS, treeCalls, treeLines } from './treeLines';

const Line = styled('button')(({ theme }) => ({
  all: 'unset',
  boxSizing: 'border-box',
  display: 'flex',
  gap: 8,
  alignItems: 'center',
  width: '100%',
  minHeight: 24,
  padding: theme.spacing(0.25, 1),
  borderRadius: theme.shape.borderRadius,
  fontSize: '0.8125rem',
  cursor: 'pointer',
  '&:hover': { background: 'var(--mui-palette-action-hover)' },
  '&:focus-visible': { outline: '2px solid var(--mui-palette-primary-main)' },
  '&[aria-current=true]': { background: 'var(--mui-palette-action-selected)', fontWeight: 600 },
  '& > i': { width: 8, height: 8, borderRadius: 4, flexShrink: 0 },
  '& > span': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
}));

/** Tree at the left of the record. It lists the calls of the execution in view. */
export function RecordTree({
  session,
  here,
  onGo,
}: {
  session: ReadSession;
  /** The execution in view, and the event. */
  here: { execution: string | null; event: string | null };
  /** Scrolls to a row of the conversation. */
  onGo: (id: string) => void;
}): ReactElement {
  const lines = useMemo(() => treeLines(session.stages), [session]);
  return (
    <Box
      component="nav"
      aria-label="Stages and calls of the record"
      data-testid="record-tree"
      sx={{
        position: 'sticky',
        top: 100,
        alignSelf: 'start',
        maxHeight: 'calc(100dvh - 100px)',
        overflowY: 'auto',
        p: 1,
        '& ul': { ...BARE_LIST },
      }}
    >
      <ul>
        {lines.map(({ id, depth, label, status, execution }) => {
          const isHere = execution !== null && execution.execution_id === here.execution;
          const calls = isHere ? treeCalls(execution) : [];
          return (
            <li key={`${String(depth)} ${id}`}>
              <Line
                type="button"
                aria-current={isHere}
                title={`${label}: ${statusTone(status).label}`}
                style={{ paddingLeft: 8 + depth * 14 }}
                onClick={() => {
                  onGo(id);
                }}
              >
                <i aria-hidden style={{ background: toneColor[statusTone(status).tone] }} />
                <span>{label}</span>
              </Line>
              {calls.length > 0 && (
                <ul>
                  {calls.slice(0, MOST_CALLS).map((call) => {
                    const name = call.kind === 'tool' ? call.name : call.at.step_description;
                    const hasFailed = call.at.success === false;
                    return (
                      <li key={call.id}>
                        <Line
                          type="button"
                          aria-current={call.id === here.event}
                          title={hasFailed ? `${name}: failed` : name}
                          style={{
                            paddingLeft: 24 + depth * 14,
                            fontFamily: call.kind === 'tool' ? mono : undefined,
                            fontSize: '0.75rem',
                            color: hasFailed ? toneColor.bad : undefined,
                          }}
                          onClick={() => {
                            onGo(call.id);
                          }}
                        >
                          <span>{name}</span>
                        </Line>
                      </li>
                    );
                  })}
                </ul>
              )}
              {calls.length > MOST_CALLS && (
                <Faint sx={{ pl: 3 + depth * 1.75 }}>{pluralize(calls.length - MOST_CALLS, 'more call')}</Faint>
              )}
            </li>
          );
        })}
      </ul>
    </Box>
  );
}
