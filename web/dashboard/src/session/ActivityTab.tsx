import { Box, TextField, Typography } from '@mui/material';
import {
  addNote,
  BARE_LIST,
  EmptyState,
  ErrorState,
  ExplainedButton,
  Faint,
  Loading,
  onText,
  sessionActivity,
  sessionChannel,
  Time,
  Toggle,
  ToneChip,
  useAction,
  useDeniedReason,
  useLive,
  type ActivityEntry,
  type NoteKind,
  type SessionDetail,
} from '@tarsy/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { describeActivity } from './activity';

const KINDS = [
  ['note', 'Note'],
  ['action', 'Action taken'],
] as const satisfies readonly (readonly [NoteKind, string])[];

/** Form for a note, or for an action that was taken. */
function NoteForm({ id, onAdded }: { id: string; onAdded: () => void }): ReactElement {
  const [kind, setKind] = useState<NoteKind>('note');
  const [text, setText] = useState('');
  const { busy, error, run } = useAction();
  const mayNot = useDeniedReason('operator');
  const add = async (): Promise<void> => {
    if (mayNot !== null || text.trim() === '' || busy) return;
    const isAdded = await run(async () => addNote(id, kind, text.trim()));
    if (!isAdded) return;
    setText('');
    onAdded();
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
      <Toggle
        label="Kind"
        value={kind}
        options={KINDS}
        onChange={setKind}
        button={{ py: 0.25, px: 1.5, textTransform: 'none' }}
      />
      <TextField
        multiline
        minRows={2}
        maxRows={8}
        label={kind === 'note' ? 'Note' : 'What was done'}
        value={text}
        onChange={onText(setText)}
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
      <Faint>
        <Time us={entry.at_us} />
      </Faint>
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

/** Notes, actions taken, and operations on the session; newest first. */
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
        <ErrorState error={error} onRetry={refetch} />
      ) : data.entries.length === 0 ? (
        <EmptyState title="Nothing yet">
          Notes, actions taken, and what operators do with this session appear here.
        </EmptyState>
      ) : (
        <Box component="ol" sx={{ ...BARE_LIST }}>
          {data.entries.map((entry, at) => (
            <Entry key={`${String(entry.at_us)} ${String(at)}`} entry={entry} />
          ))}
        </Box>
      )}
    </>
  );
}
