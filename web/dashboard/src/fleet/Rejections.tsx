import { Box, Button, TableCell, TableRow, TextField, Typography } from '@mui/material';
import {
  EmptyState,
  ExplainedButton,
  NoResults,
  ReasonDialog,
  rejection,
  rejections,
  submitRejected,
  Time,
  ToneChip,
  useDeniedReason,
  type Rejection,
} from '@tarsy/ui';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { resubmitWarning, fingerprints, resubmitBlocker } from './rejections';
import { QueryResult, Section, SmallTable } from './Section';

function Row({
  one,
  mayNot,
  onAsk,
}: {
  one: Rejection;
  mayNot: string | null;
  onAsk: (one: Rejection) => void;
}): ReactElement {
  return (
    <TableRow data-testid="rejection">
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        <Time us={one.received_at_us} />
      </TableCell>
      <TableCell sx={{ fontWeight: 600 }}>{one.source}</TableCell>
      <TableCell title={`HTTP ${String(one.status)}`}>
        <ToneChip tone="warn" label={one.code} />
      </TableCell>
      <TableCell sx={{ maxWidth: 240, overflowWrap: 'anywhere' }}>{fingerprints(one) || '–'}</TableCell>
      <TableCell sx={{ minWidth: 180, maxWidth: 420, overflowWrap: 'anywhere' }}>{one.detail}</TableCell>
      <TableCell align="right">
        <ExplainedButton
          why={mayNot}
          variant="outlined"
          sx={{ whiteSpace: 'nowrap' }}
          onClick={() => {
            onAsk(one);
          }}
        >
          {one.submitted_at_us == null ? 'Submit again' : 'Submitted'}
        </ExplainedButton>
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
  const [asked, setAsked] = useState<Rejection | null>(null);
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
  const note = 'alerts that the API did not accept';
  if (mayNot !== null)
    return (
      <Section title="Rejected alerts" id="rejected" note={note}>
        <Typography variant="body2" color="text.secondary" sx={{ px: 2, pb: 2 }}>
          {mayNot}
        </Typography>
      </Section>
    );
  return (
    <Section title="Rejected alerts" id="rejected" note={note}>
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
            onChange={(event) => {
              setDraft(event.target.value);
            }}
          />
          <Button type="submit" variant="outlined">
            Filter
          </Button>
        </Box>
      )}
      <QueryResult list={list} what="the rejected alerts">
        {() =>
          all.length > 0 ? (
            <SmallTable label="Rejected alerts" head={['Time', 'Source', 'Code', 'Alerts', 'Reason', '']}>
              {all.map((one) => (
                <Row key={one.rejection_id} one={one} mayNot={null} onAsk={setAsked} />
              ))}
            </SmallTable>
          ) : fingerprint !== '' ? (
            <NoResults onClear={clear}>No rejected alerts with this fingerprint.</NoResults>
          ) : (
            <EmptyState title="No rejected alerts" />
          )
        }
      </QueryResult>
      {list.hasNextPage && (
        <Box sx={{ p: 1, textAlign: 'center' }}>
          <Button
            onClick={() => {
              void list.fetchNextPage();
            }}
          >
            Load more
          </Button>
        </Box>
      )}
      {asked !== null && (
        <ReasonDialog
          title="Submit this alert again?"
          verb="Submit again"
          onClose={() => {
            setAsked(null);
          }}
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
