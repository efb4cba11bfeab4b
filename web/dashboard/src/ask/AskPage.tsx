import { Box, Button, Typography } from '@mui/material';
import { CARD, expectMarkdown, Loading, sessionDetail, useDeniedReason, useTitle } from '@tarsy/ui';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useRef, type ReactElement } from 'react';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { Page } from '../app/Page';
import { useHealth } from '../app/Banner';
import { useAddress } from '../app/useAddress';
import { useShortcuts } from '../keys/ShortcutsProvider';
import { AskForm } from './AskForm';
import { Conversation } from './Conversation';
import { History, useHistory } from './History';
import { collectionsOf } from './outputs';
import { readSearched, writeSearched } from './searched';
import { useConversation } from './useConversation';

const NotEnabled = lazy(async () => import('./NotEnabled'));

void expectMarkdown();

/** Returns the collections of the store, as the newest answered question found them. */
function useCollections(newest: string | undefined) {
  const { data } = useQuery({
    queryKey: ['collections', newest ?? ''],
    enabled: newest !== undefined,
    staleTime: 300_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => collectionsOf(await sessionDetail(newest ?? '', signal)),
  });
  return data ?? [];
}

/** Form for questions, with the conversation and earlier ones. */
function Asking({ id }: { id: string | null }): ReactElement {
  const navigate = useNavigate();
  const [params, change] = useAddress();
  const field = useRef<HTMLTextAreaElement>(null);
  const history = useHistory();
  const conversation = useConversation(id);
  const collections = useCollections(history.rows.find((row) => row.status === 'completed')?.session_id);
  const mayNot = useDeniedReason('operator');
  const searched = readSearched(params);
  const write = (): void => {
    field.current?.focus();
  };
  const begin = (): void => {
    if (id !== null) void navigate('/ask');
  };
  useShortcuts('Ask', [
    { keys: 'q', does: 'write a question', run: write },
    { keys: 'Escape', does: 'new question', run: begin },
  ]);
  const why =
    mayNot ??
    (id !== null && conversation.data === undefined
      ? 'The conversation is not loaded yet.'
      : conversation.data?.accepts_questions === false
        ? 'The last question is not answered yet.'
        : null);
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 2,
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) 310px' },
        alignItems: 'start',
      }}
    >
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)', minWidth: 0 }}>
        {id !== null && <Conversation key={id} id={id} conversation={conversation} />}
        <Box
          component="section"
          aria-label={id === null ? 'New question' : 'Follow-up'}
          sx={{ ...CARD, p: { xs: 1.5, sm: 2 } }}
        >
          <AskForm
            key={id ?? 'new'}
            conversation={id}
            why={why}
            collections={collections}
            searched={searched}
            field={field}
            onSearched={(edit) => {
              change((now) => writeSearched(now, edit(readSearched(now))));
            }}
            onAsked={async (accepted) => {
              void history.refetch();
              if (id === null)
                await navigate({
                  pathname: `/ask/${accepted.conversation_id}`,
                  search: writeSearched(new URLSearchParams(), searched).toString(),
                });
              else await conversation.reload();
            }}
          />
        </Box>
      </Box>
      <History history={history} current={id} />
    </Box>
  );
}

/** Page for questions to the knowledge store. */
export default function AskPage(): ReactElement {
  useTitle('Ask');
  const { id = null } = useParams<{ id?: string }>();
  const { data: health } = useHealth();
  const enabled = health?.services?.knowledge?.enabled;
  return (
    <Page widest={1300}>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', justifyContent: 'space-between', minHeight: 32 }}>
        <Typography variant="h1">Ask</Typography>
        {id !== null && (
          <Button component={Link} to="/ask" variant="outlined">
            New question
          </Button>
        )}
      </Box>
      {health === undefined ? (
        <Loading what="the page" />
      ) : enabled === true ? (
        <Asking id={id} />
      ) : (
        <Suspense fallback={<Loading what="the page" />}>
          <NotEnabled />
        </Suspense>
      )}
    </Page>
  );
}
