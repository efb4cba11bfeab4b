import { Box, TableCell, TableRow, Typography } from '@mui/material';
import { Faint, listDuplicates, pluralize, SeverityMark, ToneChip, type SessionDetail } from '@tarsy/ui';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { QueryResult, SmallTable, TimeCell } from '../../fleet/Section';
import { alertHistory, unlistedDuplicates, type AlertHistoryEntry } from './historyEntries';

function Line({ member }: { member: AlertHistoryEntry }): ReactElement {
  const which =
    member.number === null ? 'resolved' : member.number === 0 ? 'original' : `duplicate ${String(member.number)}`;
  return (
    <TableRow data-testid="member">
      <TimeCell us={member.atUs} />
      <TableCell>{which}</TableCell>
      <TableCell>
        {member.status === null ? (
          <Faint>unknown</Faint>
        ) : (
          <ToneChip tone={member.status === 'firing' ? 'warn' : 'good'} label={member.status} />
        )}
      </TableCell>
      <TableCell>{member.severity !== null && <SeverityMark severity={member.severity} />}</TableCell>
      <TableCell>
        {member.source}
        {member.author === null ? '' : `, ${member.author}`}
      </TableCell>
      <TimeCell us={member.happenedUs} />
    </TableRow>
  );
}

/** All alerts of a session: the original, its duplicates and the resolve. */
export function AlertHistory({ session }: { session: SessionDetail }): ReactElement {
  const list = useQuery({
    queryKey: ['duplicates', session.session_id, session.duplicate_count],
    queryFn: async ({ signal }) => listDuplicates(session.session_id, signal),
    placeholderData: keepPreviousData,
  });
  return (
    <Box component="section" aria-labelledby="members-title" data-testid="members">
      <Typography variant="h3" id="members-title" sx={{ mb: 0.75 }}>
        Alerts of this session
      </Typography>
      <QueryResult list={list} what="the alerts">
        {(data) => (
          <>
            <Box sx={{ maxHeight: 320, overflowY: 'auto' }}>
              <SmallTable
                label="Alerts of this session"
                head={['Received', 'Type', 'Status', 'Severity', 'Source', 'Fired at']}
              >
                {alertHistory(session, data.duplicates).map((member) => (
                  <Line key={String(member.number)} member={member} />
                ))}
              </SmallTable>
            </Box>
            {unlistedDuplicates(data) > 0 && (
              <Faint>{pluralize(unlistedDuplicates(data), 'older duplicate')} not listed.</Faint>
            )}
          </>
        )}
      </QueryResult>
    </Box>
  );
}
