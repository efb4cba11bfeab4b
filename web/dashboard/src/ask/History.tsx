import { Box, Button, Link, Typography } from '@mui/material';
import {
  BARE_LIST,
  CARD,
  clamped,
  DASHBOARD_CHANNEL,
  Faint,
  listSessions,
  StatusChip,
  Time,
  usePollMs,
  useRefetchOn,
  type SessionLine,
} from '@tarsy/ui';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, type ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import { byConversation } from './conversations';

/** Number of questions on a page of the history. */
const PAGE = 50;
const KEY = ['sessions', 'questions'] as const;

/** Returns earlier questions, newest first, kept up to date by events. */
export function useHistory() {
  const every = usePollMs(5000);
  useRefetchOn(DASHBOARD_CHANNEL, KEY, 3000);
  const pages = useInfiniteQuery({
    queryKey: KEY,
    queryFn: async ({ pageParam, signal }) =>
      listSessions({ chain_id: 'knowledge', page_size: PAGE, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.pagination.next_cursor ?? null,
    placeholderData: keepPreviousData,
    refetchInterval: every,
  });
  const rows = useMemo((): SessionLine[] => pages.data?.pages.flatMap((page) => page.sessions) ?? [], [pages.data]);
  return { ...pages, rows };
}

interface Props {
  history: ReturnType<typeof useHistory>;
  current: string | null;
}

/** Earlier conversations as links. */
export function History({ history, current }: Props): ReactElement {
  const all = useMemo(() => byConversation(history.rows), [history.rows]);
  return (
    <Box
      component="nav"
      aria-labelledby="history-title"
      data-testid="history"
      sx={{
        ...CARD,
        minWidth: 0,
        overflow: 'hidden',
        position: { lg: 'sticky' },
        top: 62,
        maxHeight: { lg: 'calc(100dvh - 78px)' },
        display: 'flex',
        flexDirection: 'column',
      }}
    >
      <Box
        sx={{
          px: 1.5,
          py: 1.25,
          display: 'flex',
          alignItems: 'baseline',
          justifyContent: 'space-between',
          gap: 1,
          borderBottom: 1,
          borderColor: 'divider',
        }}
      >
        <Typography variant="h2" id="history-title">
          Earlier questions
        </Typography>
        <Link component={RouterLink} to="/sessions?chain=knowledge" variant="caption">
          View as sessions
        </Link>
      </Box>
      {all.length === 0 ? (
        <Typography variant="body2" color="text.secondary" sx={{ p: 1.5 }}>
          {history.isPending
            ? 'Loading…'
            : history.error === null
              ? 'No questions yet.'
              : `Failed to load: ${history.error.message}`}
        </Typography>
      ) : (
        <Box
          component="ol"
          tabIndex={0}
          aria-label="Conversations"
          sx={{ ...BARE_LIST, overflowY: 'auto', '& > li + li': { borderTop: 1, borderColor: 'divider' } }}
        >
          {all.map(({ id, title, questions, last }) => (
            <li key={id}>
              <Box
                component={RouterLink}
                to={`/ask/${id}`}
                aria-current={id === current ? 'page' : undefined}
                data-testid="earlier"
                sx={{
                  display: 'grid',
                  gap: 0.25,
                  px: 1.5,
                  py: 1,
                  color: 'inherit',
                  textDecoration: 'none',
                  '&:hover': { bgcolor: 'action.hover' },
                  '&[aria-current=page]': { bgcolor: 'action.selected' },
                  '&:focus-visible': { outline: '2px solid var(--mui-palette-primary-main)', outlineOffset: -2 },
                }}
              >
                <Typography variant="body2" sx={{ fontWeight: 550, overflowWrap: 'anywhere', ...clamped(2) }}>
                  {title}
                </Typography>
                <Faint component="div" sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
                  <Time us={last.started_at_us} />
                  {questions > 1 && <span>{questions} questions</span>}
                  {last.status !== 'completed' && (
                    <StatusChip status={last.status} outcome={last.outcome} waiting={last.waiting} />
                  )}
                </Faint>
              </Box>
            </li>
          ))}
        </Box>
      )}
      {history.hasNextPage && (
        <Button
          disabled={history.isFetchingNextPage}
          onClick={() => {
            void history.fetchNextPage();
          }}
        >
          Load more
        </Button>
      )}
    </Box>
  );
}
