import { Chip, TableCell, TableRow, Typography } from '@mui/material';
import { count, duration, Empty, listSessions, sessionDetail, toneColor } from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { lately, type Line } from './lately';
import { Answered, Section, SmallTable } from './Section';

/** Sessions that are looked into. */
const LAST = 10;

function Rows({ lines, label, what }: { lines: Line[]; label: string; what: string }): ReactElement {
  if (lines.length === 0) return <Empty title="No call yet" />;
  return (
    <SmallTable label={label} head={[what === 'Model' ? 'Provider' : 'Server', `${what}s`, 'Calls', 'Failed', 'Median', 'Last error']}>
      {lines.map((line) => (
        <TableRow key={line.name}>
          <TableCell sx={{ fontWeight: 600, whiteSpace: 'nowrap' }}>{line.name}{line.scripted && line.name !== 'scripted' && <Chip sx={{ ml: 1 }} label="scripted" />}</TableCell>
          <TableCell><Typography variant="caption" color="text.secondary">{line.detail}</Typography></TableCell>
          <TableCell>{count(line.calls)}</TableCell>
          <TableCell sx={{ color: line.failed > 0 ? toneColor.bad : undefined, whiteSpace: 'nowrap' }}>{count(line.failed)} ({Math.round((100 * line.failed) / Math.max(1, line.calls))} %)</TableCell>
          <TableCell sx={{ whiteSpace: 'nowrap' }}>{duration(line.medianMs)}</TableCell>
          <TableCell sx={{ maxWidth: 420, overflowWrap: 'anywhere' }}><Typography variant="caption">{line.lastError ?? '–'}</Typography></TableCell>
        </TableRow>
      ))}
    </SmallTable>
  );
}

/** Providers and MCP servers, by what the last sessions recorded. */
export function Lately(): ReactElement {
  const list = useQuery({
    queryKey: ['lately'],
    queryFn: async ({ signal }) => {
      const { sessions } = await listSessions({ page_size: LAST }, signal);
      return lately(await Promise.all(sessions.map(async (session) => sessionDetail(session.session_id, signal, 'none'))));
    },
    staleTime: 30_000, refetchInterval: 60_000,
  });
  const note = `in the last ${String(LAST)} sessions`;
  return (
    <>
      <Section title="LLM providers" note={note}><Answered list={list} what="recent calls">{({ providers }) => <Rows lines={providers} label="LLM providers" what="Model" />}</Answered></Section>
      <Section title="MCP servers" note={note}><Answered list={list} what="recent calls">{({ servers }) => <Rows lines={servers} label="MCP servers" what="Tool" />}</Answered></Section>
    </>
  );
}
