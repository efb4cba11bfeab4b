import { Box, Button, TableCell, TableRow, Typography } from '@mui/material';
import {
  deliveryGroups,
  ExplainedButton,
  formatCount,
  pluralize,
  ReasonDialog,
  redeliverGroup,
  ToneChip,
  useDeniedReason,
  useSubject,
  type DeliveryGroup,
} from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ActionProgress } from './ActionProgress';
import { groupReason, redeliverAll } from './deliveryGroups';
import { SmallTable, TimeCell } from './Section';

/** Undelivered notifications by target and reason, shared by query key. */
export const useDeliveryGroups = (every: number) =>
  useQuery({
    queryKey: ['delivery-groups'],
    queryFn: async ({ signal }) => (await deliveryGroups(signal)).groups,
    refetchInterval: Math.max(every, 10_000),
  });

interface Props {
  every: number;
  onChanged: () => void;
  /** Shows the notifications of a group one by one. */
  onShow: (group: DeliveryGroup) => void;
}

/** Table of groups. A failed group is redelivered with one reason for all. */
export function DeliveryGroups({ every, onChanged, onShow }: Props): ReactElement {
  const [asked, ask, close] = useSubject<DeliveryGroup>();
  const [done, setDone] = useState<number | null>(null);
  const [told, setTold] = useState<string | null>(null);
  const mayNot = useDeniedReason('operator');
  // The list below shows errors.
  const groups = useDeliveryGroups(every).data ?? [];
  const confirm =
    (group: DeliveryGroup) =>
    async (reason: string): Promise<void> => {
      setDone(0);
      try {
        const number = await redeliverAll(async () => redeliverGroup(group, reason), setDone);
        setTold(`Queued ${pluralize(number, 'notification')} to ${group.target}.`);
      } finally {
        setDone(null);
        onChanged();
      }
    };
  return (
    <>
      {told !== null && (
        <Typography role="status" variant="body2" data-testid="group-told" sx={{ px: 2, pb: 1 }}>
          {told}
        </Typography>
      )}
      {groups.length > 0 && (
        <Box sx={{ borderBottom: 1, borderColor: 'divider', mb: 1.5 }}>
          <SmallTable
            label="Undelivered notifications in groups"
            head={['Target', 'Status', 'Reason', ['Number', 'right'], 'Oldest', 'Last attempt', '']}
          >
            {groups.map((group) => (
              <TableRow
                key={`${group.target} ${group.state} ${String(group.response_status)} ${String(group.error)}`}
                data-testid="delivery-group"
              >
                <TableCell sx={{ fontWeight: 600 }}>{group.target}</TableCell>
                <TableCell>
                  <ToneChip tone={group.state === 'failed' ? 'bad' : 'warn'} label={group.state} />
                </TableCell>
                <TableCell sx={{ minWidth: 180, maxWidth: 420, overflowWrap: 'anywhere' }}>
                  {groupReason(group)}
                </TableCell>
                <TableCell align="right">{formatCount(group.number)}</TableCell>
                <TimeCell us={group.oldest_us} />
                <TimeCell us={group.last_attempt_at_us} />
                <TableCell align="right" sx={{ whiteSpace: 'nowrap' }}>
                  <Button
                    onClick={() => {
                      onShow(group);
                    }}
                    aria-label={`List ${group.state} to ${group.target}`}
                  >
                    List
                  </Button>
                  {group.state === 'failed' && (
                    <ExplainedButton
                      why={mayNot}
                      variant="outlined"
                      onClick={() => {
                        setTold(null);
                        ask(group);
                      }}
                    >
                      Redeliver {formatCount(group.number)}
                    </ExplainedButton>
                  )}
                </TableCell>
              </TableRow>
            ))}
          </SmallTable>
        </Box>
      )}
      {asked !== null && (
        <ReasonDialog
          title={`Redeliver ${pluralize(asked.number, 'notification')} to ${asked.target}?`}
          verb={`Redeliver ${formatCount(asked.number)}`}
          onClose={close}
          onConfirm={confirm(asked)}
        >
          <Typography variant="body2">
            Last response: {groupReason(asked)}. Each is sent again with the same delivery ID, the oldest first, and
            retried if it fails.
          </Typography>
          {done !== null && (
            <ActionProgress done={done} all={Math.max(asked.number, done)}>
              {formatCount(done)} queued
            </ActionProgress>
          )}
        </ReasonDialog>
      )}
    </>
  );
}
