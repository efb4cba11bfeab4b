import { Box, TextField, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material';
import {
  addNote,
  asApiError,
  EmptyState,
  ErrorState,
  ExplainedButton,
  Loading,
  sessionActivity,
  sessionChannel,
  Time,
  ToneChip,
  useDeniedReason,
  useLive,
  type ActivityEntry,
  type NoteKind,
  type SessionDetail,
} from '@tarsy/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { describeActivity } from './activity';

const KINDS: readonly { value: NoteKind; label: string }[] = [
  { value: 'note', label: 'Note' },
  { value: 'action', label: 'Action taken' },
];

/** Field for a note, or for what was done. */
function NoteForm({ id, onAdded }: { id: string; onAdded: () => void }): ReactElement {
  const [kind, setKind] = useState<NoteKind>('note');
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const mayNot = useDeniedReason('operator');
  const add = async (): Promise<void> => {
    if (mayNot !== null || text.trim() === '' || busy) return;
    setBusy(true);
    try {
      await addNote(id, kind, text.trim());
      setText('');
      setError(null);
      onAdded();
    } catch (thrown) {
      setError(asApiError(thrown).message);
    }
    setBusy(false);
  };
  return (
    <Box
      component="form"
      aria-label="Add to the activity"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
      sx={{ display: 'grid', gap: 1, p: 2, borderBottom: 1, borderColor: 'divider' }}
    >
      <ToggleButtonGroup
        exclusive
        size="small"
        value={kind}
        aria-label="Kind"
        onChange={(_, next: NoteKind | null) => {
          if (next !== null) setKind(next);
        }}
      >
        {KINDS.map(({ value, label }) => (
          <ToggleButton key={value} value={value} sx={{ py: 0.25, px: 1.5, textTransform: 'none' }}>
            {label}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <TextField
        multiline
        minRows={2}
        maxRows={8}
        label={kind === 'note' ? 'Note' : 'What was done'}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
        }}
        slotProps={{ htmlInput: { maxLength: 4000 } }}
      />
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
        <ExplainedButton
          type="submit"
          variant="outlined"
          why={mayNot ?? (busy ? 'Saving…' : text.trim() === '' ? 'Write something first.' : null)}
          onClick={() => {
            void add();
          }}
        >
          Add
        </ExplainedButton>
        {error !== null && (
          <Typography variant="caption" color="error" role="alert">
            {error}
          </Typography>
        )}
      </Box>
    </Box>
  );
}

function Entry({ entry }: { entry: ActivityEntry }): ReactElement {
  const { label, tone, text } = describeActivity(entry);
  return (
    <Box
      component="li"
      data-testid="activity"
      sx={{
        display: 'grid',
        gridTemplateColumns: { xs: '1fr', sm: '150px 1fr' },
        columnGap: 2,
        px: 2,
        py: 1,
        borderTop: 1,
        borderColor: 'divider',
        '&:first-of-type': { borderTop: 0 },
      }}
    >
      <Typography variant="caption" color="text.secondary">
        <Time us={entry.at_us} />
      </Typography>
      <Box sx={{ minWidth: 0 }}>
        <Typography
          variant="body2"
          component="div"
          sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'baseline' }}
        >
          <b>{entry.actor}</b> <ToneChip plain tone={tone} label={label} />
        </Typography>
        {text !== '' && (
          <Typography variant="body2" sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {text}
          </Typography>
        )}
      </Box>
    </Box>
  );
}

/** Notes, actions taken, and what operators did with the session; newest first. */
export default function ActivityTab({ session }: { session: SessionDetail }): ReactElement {
  const queries = useQueryClient();
  const key = ['activity', session.session_id];
  const { data, error, isPending, refetch } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => sessionActivity(session.session_id, signal),
    refetchInterval: 60_000,
  });
  const again = (): void => {
    void queries.invalidateQueries({ queryKey: key });
  };
  useLive(sessionChannel(session.session_id), again, 1000);
  return (
    <>
      <NoteForm id={session.session_id} onAdded={again} />
      {isPending ? (
        <Loading what="the activity" />
      ) : data === undefined ? (
        <ErrorState
          error={error}
          onRetry={() => {
            void refetch();
          }}
        />
      ) : data.entries.length === 0 ? (
        <EmptyState title="Nothing yet">
          Notes, actions taken, and what operators do with this session appear here.
        </EmptyState>
      ) : (
        <Box component="ol" sx={{ listStyle: 'none', m: 0, p: 0 }}>
          {data.entries.map((entry, at) => (
            <Entry key={`${String(entry.at_us)} ${String(at)}`} entry={entry} />
          ))}
        </Box>
      )}
    </>
  );
}
