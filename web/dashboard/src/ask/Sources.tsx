import { Box, Link, Typography } from '@mui/material';
import { BARE_LIST, Code, COLUMN, mono } from '@tarsy/ui';
import { ChevronRight } from 'lucide-react';
import { useEffect, useRef, type ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import type { Source } from './trace';

const KIND: Record<string, string> = { sql: 'Result of the SQL query', live: 'Output of the command' };

/** Name of a source: its record, or another origin. */
const nameOf = ({ id, collection, key }: Source): string =>
  KIND[id] ?? ([collection, key].filter((part) => part !== null).join(' ') || `chunk ${id}`);

/** Preview of the text in one line, without the key that precedes it. */
const previewOf = ({ text, key }: Source): string =>
  text
    .slice(0, 400)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== key)
    .join(' · ')
    .replaceAll(': · ', ': ');

/** Origin of a chunk. */
function Origin({ source, session }: { source: Source; session: string }): ReactElement {
  const { id, collection, key, file, line, chunk, event } = source;
  const facts: [string, string][] = [
    ...(key === null
      ? []
      : [
          ['Record', `${collection ?? ''} ${key}${chunk === null ? '' : `, part ${String(chunk)}`}`] as [
            string,
            string,
          ],
        ]),
    ...(file === null
      ? []
      : [['Source', `${file}${line === null ? '' : `, line ${String(line)}`}`] as [string, string]]),
    ...(id in KIND ? [] : [['Chunk', id] as [string, string]]),
    ...(source.foundBy.length === 0 ? [] : [['Found by', source.foundBy.join(', ')] as [string, string]]),
  ];
  return (
    <Box sx={{ display: 'flex', columnGap: 2, rowGap: 0.25, flexWrap: 'wrap', alignItems: 'baseline' }}>
      {facts.map(([name, value]) => (
        <Typography key={name} variant="caption" sx={{ overflowWrap: 'anywhere' }}>
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {name}
          </Box>{' '}
          {value}
        </Typography>
      ))}
      <Link
        component={RouterLink}
        variant="caption"
        to={`/sessions/${session}${event === null ? '' : `?event=${encodeURIComponent(event)}`}`}
      >
        View the tool call
      </Link>
    </Box>
  );
}

interface Props {
  sources: readonly Source[];
  session: string;
  /** Id of the open source. */
  open: string | null;
  onOpen: (id: string | null) => void;
}

/** Sources of an answer. Each opens its chunk. */
export function Sources({ sources, session, open, onOpen }: Props): ReactElement {
  const list = useRef<HTMLOListElement>(null);
  // Scrolls to a source that was opened from the text.
  useEffect(() => {
    if (open !== null) list.current?.querySelector('[aria-expanded=true]')?.scrollIntoView({ block: 'nearest' });
  }, [open]);
  return (
    <Box
      component="ol"
      ref={list}
      aria-label="Sources"
      data-testid="sources"
      sx={{
        ...BARE_LIST,
        ...COLUMN,
        border: 1,
        borderColor: 'divider',
        borderRadius: 1,
        '& > li + li': { borderTop: 1, borderColor: 'divider' },
      }}
    >
      {sources.map((source) => {
        const isOpen = source.id === open;
        const panel = `chunk-${session}-${source.id}`;
        return (
          <li key={source.id} data-testid="source" data-id={source.id}>
            <Box
              component="button"
              type="button"
              aria-expanded={isOpen}
              aria-controls={isOpen ? panel : undefined}
              onClick={() => {
                onOpen(isOpen ? null : source.id);
              }}
              sx={{
                font: 'inherit',
                fontSize: '0.8125rem',
                color: 'inherit',
                bgcolor: 'transparent',
                border: 0,
                width: '100%',
                textAlign: 'left',
                cursor: 'pointer',
                px: 1,
                py: 0.75,
                display: 'flex',
                gap: 1,
                alignItems: 'baseline',
                minWidth: 0,
                scrollMarginTop: 60,
                scrollMarginBottom: 16,
                '&:hover': { bgcolor: 'action.hover' },
                '&:focus-visible': { outline: '2px solid var(--mui-palette-primary-main)', outlineOffset: -2 },
              }}
            >
              <ChevronRight
                aria-hidden
                size={14}
                style={{ flexShrink: 0, alignSelf: 'center', transform: isOpen ? 'rotate(90deg)' : undefined }}
              />
              <Box component="span" sx={{ fontFamily: mono, color: 'text.secondary', flexShrink: 0 }}>
                [{source.number}]
              </Box>
              <Box component="span" sx={{ fontWeight: 600, flexShrink: 0, maxWidth: '60%', overflowWrap: 'anywhere' }}>
                {nameOf(source)}
              </Box>
              <Box
                component="span"
                sx={{
                  color: 'text.secondary',
                  minWidth: 0,
                  overflow: 'hidden',
                  textOverflow: 'ellipsis',
                  whiteSpace: 'nowrap',
                }}
              >
                {previewOf(source)}
              </Box>
            </Box>
            {isOpen && (
              <Box id={panel} data-testid="chunk" sx={{ px: 1, pb: 1.25, ...COLUMN, gap: 0.75 }}>
                <Code text={source.text} what={`text of ${nameOf(source)}`} lines={24} />
                <Origin source={source} session={session} />
              </Box>
            )}
          </li>
        );
      })}
    </Box>
  );
}
