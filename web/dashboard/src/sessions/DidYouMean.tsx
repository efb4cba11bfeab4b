import { Box, Link, Typography } from '@mui/material';
import { useFilterOptions } from '@tarsy/ui';
import { Fragment, type ReactElement } from 'react';
import { searchHints } from './searchHints';

/** Suggestions for a search without results. A press searches for the suggestion. */
export default function DidYouMean({
  search,
  onSearch,
}: {
  search: string;
  onSearch: (text: string) => void;
}): ReactElement | null {
  const { data } = useFilterOptions();
  const hints = searchHints(search, data);
  if (hints.length === 0) return null;
  return (
    <Box data-testid="search-hints" role="status">
      {hints.map(({ problem, instead }) => (
        <Typography key={problem} variant="body2" sx={{ overflowWrap: 'anywhere' }}>
          {problem}
          {instead.length > 0 && (
            <>
              {' '}
              Did you mean{' '}
              {instead.map(({ word, search: other }, at) => (
                <Fragment key={word}>
                  {at > 0 && ', '}
                  <Link
                    component="button"
                    variant="body2"
                    onClick={() => {
                      onSearch(other);
                    }}
                  >
                    {word}
                  </Link>
                </Fragment>
              ))}
              ?
            </>
          )}
        </Typography>
      ))}
    </Box>
  );
}
