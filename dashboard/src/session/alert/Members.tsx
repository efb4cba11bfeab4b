import { Box, TableCell, TableRow, Typography } from '@mui/material';
import { duplicatesOf, pluralize, SeverityMark, Time, ToneChip, type SessionDetail } from '@tarsy/ui';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Answered, SmallTable } from '../../fleet/Section';
import { members, onlyCounted, type Member } from './members';

function Line({ member }: { member: Member }): ReactElement {
  const which = member.number === null ? 'resolved' : member.number === 0 ? 'original' : `duplicate ${String(member.number)}`;
  return (
    <TableRow data-testid="member">
      <TableCell sx={{ whiteSpace: 'nowrap' }}><Time us={member.atUs} /></TableCell>
      <TableCell>{which}</TableCell>
      <TableCell>{member.status === null ? <Typography variant="caption" color="text.secondary">unknown</Typography> : <ToneChip tone={member.status === 'firing' ? 'warn' : 'good'} label={member.status} />}</TableCell>
      <TableCell>{member.severity !== null && <SeverityMark severity={member.severity} />}</TableCell>
      <TableCell>{member.source}{member.author === null ? '' : `, ${member.author}`}</TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>{member.happenedUs === null ? '–' : <Time us={member.happenedUs} />}</TableCell>
    </TableRow>
  );
}

/** Every alert that this session answers: the first, those that came again, and that it is over. */
export function Members({ session }: { session: SessionDetail }): ReactElement {
  const list = useQuery({
    queryKey: ['duplicates', session.session_id, session.duplicate_count], queryFn: async ({ signal }) => duplicatesOf(session.session_id, signal), placeholderData: keepPreviousData,
  });
  return (
    <Box component="section" aria-labelledby="members-title" data-testid="members">
      <Typography variant="h3" id="members-title" sx={{ mb: 0.75 }}>Alerts of this session</Typography>
      <Answered list={list} what="the alerts">
        {(data) => (
          <>
            <Box sx={{ maxHeight: 320, overflowY: 'auto' }}>
              <SmallTable label="Alerts of this session" head={['Received', 'Type', 'Status', 'Severity', 'Source', 'Fired at']}>
                {members(session, data.duplicates).map((member) => <Line key={String(member.number)} member={member} />)}
              </SmallTable>
            </Box>
            {onlyCounted(data) > 0 && <Typography variant="caption" color="text.secondary">{pluralize(onlyCounted(data), 'older duplicate')} not listed.</Typography>}
          </>
        )}
      </Answered>
    </Box>
  );
}
