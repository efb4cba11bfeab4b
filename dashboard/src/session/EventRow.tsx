import { Box, IconButton, Tooltip, Typography } from '@mui/material';
import { clockOf, CopyButton, toneSurface, usePrefs, type StageEvent } from '@tarsy/ui';
import { Bot, Link2, ListTree, MessageSquareText, Wrench } from 'lucide-react';
import type { ReactElement } from 'react';
import { useSearchParams } from 'react-router-dom';
import { AnswerBody, PromptBody, ToolBody, ToolListBody } from './EventBody';

const ICONS = { prompt: MessageSquareText, answer: Bot, tool: Wrench, tools: ListTree } as const;

function Body({ event, needle }: { event: StageEvent; needle: string }): ReactElement {
  switch (event.kind) {
    case 'prompt': return <PromptBody event={event} needle={needle} />;
    case 'answer': return <AnswerBody event={event} needle={needle} />;
    case 'tool': return <ToolBody event={event} needle={needle} />;
    case 'tools': return <ToolListBody event={event} />;
  }
}

/** One event: when, what, and a link to it. */
export function EventRow({ event, needle, marked }: { event: StageEvent; needle: string; marked: boolean }): ReactElement {
  const { zone } = usePrefs();
  const [, setParams] = useSearchParams();
  const Icon = ICONS[event.kind];
  const link = (): void => {
    setParams((now) => { const next = new URLSearchParams(now); next.delete('tab'); next.set('event', event.id); return next; }, { replace: true });
    const address = new URL(location.href);
    address.searchParams.delete('tab');
    address.searchParams.set('event', event.id);
    navigator.clipboard.writeText(address.href).catch(() => undefined);
  };
  return (
    <Box
      component="article" id={`event-${event.id}`} data-kind={event.kind}
      sx={{ display: 'grid', gridTemplateColumns: { xs: '20px minmax(0, 1fr)', md: '92px 20px minmax(0, 1fr) 56px' }, columnGap: 1.25, px: 2, py: 1.25, borderBottom: 1, borderColor: 'divider', bgcolor: marked ? toneSurface('run', 6) : 'transparent', boxShadow: marked ? 'inset 3px 0 0 var(--mui-palette-primary-main)' : 'none', '& .tools button': { opacity: 0.45 }, '&:hover .tools button, & .tools button:focus-visible': { opacity: 1 } }}
    >
      <Typography variant="caption" color="text.secondary" sx={{ display: { xs: 'none', md: 'block' }, fontVariantNumeric: 'tabular-nums', pt: '1px' }}>
        {'at' in event ? clockOf(event.at.timestamp_us, zone) : ''}
      </Typography>
      <Box sx={{ color: event.kind === 'answer' ? 'primary.main' : 'text.secondary', pt: '2px' }}><Icon size={15} aria-hidden /></Box>
      <Box sx={{ minWidth: 0 }}><Body event={event} needle={needle} /></Box>
      <Box className="tools" sx={{ display: { xs: 'none', md: 'flex' }, alignItems: 'flex-start', justifyContent: 'flex-end' }}>
        {'at' in event && <CopyButton text={() => JSON.stringify(event.at, null, 2)} what="event as JSON" />}
        <Tooltip title="Copy a link to this event"><IconButton aria-label="Copy a link to this event" onClick={link} sx={{ p: 0.5 }}><Link2 size={14} /></IconButton></Tooltip>
      </Box>
    </Box>
  );
}
