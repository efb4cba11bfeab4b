import { Alert, Box, Button } from '@mui/material';
import { ErrorState, Loading, type Messages } from '@tarsy/ui';
import { type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { QuestionCard } from './QuestionCard';

/** Number of questions shown at first, the newest ones. */
const FIRST = 10;

/** All questions of a conversation, oldest first. */
export function Conversation({
  id,
  conversation,
}: {
  id: string;
  conversation: UseQueryResult<Messages>;
}): ReactElement {
  const { data, error, refetch } = conversation;
  const [all, setAll] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const turns = data?.turns ?? [];
  const newest = turns.length > 1 ? turns.at(-1)?.session_id : undefined;
  // Scrolls to the newest answer, which users come for. The address may still point to another part.
  useEffect(() => {
    if (newest !== undefined) list.current?.lastElementChild?.scrollIntoView({ block: 'start' });
  }, [id, newest]);
  if (data === undefined)
    return error === null ? <Loading what="the conversation" /> : <ErrorState error={error} onRetry={refetch} />;
  const hidden = all ? 0 : Math.max(0, turns.length - FIRST);
  return (
    <>
      {error !== null && <Alert severity="warning">Refresh failed, showing older data: {error.message}.</Alert>}
      {hidden > 0 && (
        <Button
          onClick={() => {
            setAll(true);
          }}
        >
          Show {hidden} earlier question{hidden === 1 ? '' : 's'}
        </Button>
      )}
      <Box ref={list} sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        {turns.slice(hidden).map((turn) => (
          <QuestionCard key={turn.session_id} turn={turn} />
        ))}
      </Box>
    </>
  );
}
