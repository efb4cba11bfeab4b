import { Box, Button, TableCell, TableRow, TextField, Typography } from '@mui/material';
import {
  EmptyState,
  NoResults,
  onText,
  ReasonDialog,
  rejection,
  rejections,
  submitRejected,
  ToneChip,
  useDeniedReason,
  useSubject,
  type Rejection,
} from '@tarsy/ui';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { resubmitWarning, fingerprints, resubmitBlocker } from './rejections';
import { LoadMore, QueryResult, Section, SmallTable, TimeCell } from './Section';

function Row({ one, onAsk }: { one: Rejection; onAsk: (one: Rejection) => void }): ReactElement {
  return (
    <TableRow data-testid="rejection">
      <TimeCell us={one.received_at_us} />
      <TableCell sx={{ fontWeight: 600 }}>{one.source}</TableCell>
      <TableCell title={`HTTP ${String(one.status)}`}>
        <ToneChip tone="warn" label={one.code} />
      </TableCell>
      <TableCell sx={{ maxWidth: 240, overflowWrap: 'anywhere' }}>{fingerprints(one) || '–'}</TableCell>
      <TableCell sx={{ minWidth: 180, maxWidth: 420, overflowWrap: 'anywhere' }}>{one.detail}</TableCell>
      <TableCell align="right">
        <Button
          variant="outlined"
          sx={{ whiteSpace: 'nowrap' }}
          onClick={() => {
            onAsk(one);
          }}
        >
          {one.submitted_at_us == null ? 'Submit again' : 'Submitted'}
        </Button>
      </TableCell>
    </TableRow>
  );
}

/** Stored body of a rejected alert. */
function Body({ id }: { id: string }): ReactElement {
  const shown = useQuery({ queryKey: ['rejection', id], queryFn: async ({ signal }) => rejection(id, signal) });
  return (
    <QueryResult list={shown} what="the body">
      {(data) => (
        <Box
          component="pre"
          tabIndex={0}
          aria-label="Stored body"
          sx={{
            m: 0,
            maxHeight: 240,
            overflow: 'auto',
            fontSize: '0.75rem',
            whiteSpace: 'pre-wrap',
            overflowWrap: 'anywhere',
          }}
        >
          {data.body === '' ? '(empty)' : data.body}
        </Box>
      )}
    </QueryResult>
  );
}

/** Rejected alerts, with resubmission. */
export function Rejections({ every, onChanged }: { every: number; onChanged: () => void }): ReactElement {
  const [asked, ask, close] = useSubject<Rejection>();
  const [draft, setDraft] = useState('');
  const [fingerprint, setFingerprint] = useState('');
  const mayNot = useDeniedReason('operator');
  const list = useInfiniteQuery({
    queryKey: ['rejections', fingerprint],
    queryFn: async ({ pageParam, signal }) => rejections({ fingerprint, before: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next ?? null,
    placeholderData: keepPreviousData,
    refetchInterval: Math.max(every, 10_000),
    enabled: mayNot === null,
  });
  const all = (list.data?.pages ?? []).flatMap((page) => page.rejections);
  const clear = (): void => {
    setDraft('');
    setFingerprint('');
  };
  return (
    <Section title="Rejected alerts" id="rejected" note="alerts that the API did not accept">
      {(fingerprint !== '' || all.length > 0) && (
        <Box
          component="form"
          role="search"
          aria-label="Rejected alerts"
          onSubmit={(event) => {
            event.preventDefault();
            setFingerprint(draft.trim());
          }}
          sx={{ display: 'flex', gap: 1.5, flexWrap: 'wrap', alignItems: 'center', px: 2, pt: 0.5, pb: 1.5 }}
        >
          <TextField
            label="Fingerprint"
            value={draft}
            slotProps={{ inputLabel: { shrink: true }, htmlInput: { autoComplete: 'off', spellCheck: false } }}
            onChange={onText(setDraft)}
          />
          <Button type="submit" variant="outlined">
            Filter
          </Button>
        </Box>
      )}
      <QueryResult list={list} what="the rejected alerts" why={mayNot}>
        {() =>
          all.length > 0 ? (
            <SmallTable label="Rejected alerts" head={['Time', 'Source', 'Code', 'Alerts', 'Reason', '']}>
              {all.map((one) => (
                <Row key={one.rejection_id} one={one} onAsk={ask} />
              ))}
            </SmallTable>
          ) : fingerprint !== '' ? (
            <NoResults onClear={clear}>No rejected alerts with this fingerprint.</NoResults>
          ) : (
            <EmptyState title="No rejected alerts" />
          )
        }
      </QueryResult>
      <LoadMore list={list} />
      {asked !== null && (
        <ReasonDialog
          title="Submit this alert again?"
          verb="Submit again"
          onClose={close}
          onConfirm={async (reason) => {
            await submitRejected(asked.rejection_id, reason);
            onChanged();
          }}
        >
          <Typography variant="body2">
            {asked.path} returned <code>{asked.code}</code>: {asked.detail}
          </Typography>
          {resubmitBlocker(asked) !== null && (
            <Typography variant="body2" color="error">
              {resubmitBlocker(asked)} It cannot be resubmitted.
            </Typography>
          )}
          {resubmitWarning(asked) !== null && <Typography variant="body2">{resubmitWarning(asked)}</Typography>}
          <Body id={asked.rejection_id} />
        </ReasonDialog>
      )}
    </Section>
  );
}
