import { styled } from '@mui/material/styles';
import {
  formatClock,
  CopyButton,
  IconAction,
  formatFull,
  isoMicros,
  toneSurface,
  usePrefs,
  type StageEvent,
} from '@tarsy/ui';
import { Bot, Link2, ListTree, MessageSquareText, Wrench } from 'lucide-react';
import { memo, type ReactElement } from 'react';
import { useAddress } from '../app/useAddress';
import { AnswerBody } from './AnswerBody';
import { PromptBody, ToolBody, ToolListBody } from './EventBody';

const ICONS = { prompt: MessageSquareText, answer: Bot, tool: Wrench, tools: ListTree } as const;

function Body({ event, needle }: { event: StageEvent; needle: string }): ReactElement {
  switch (event.kind) {
    case 'prompt':
      return <PromptBody event={event} needle={needle} />;
    case 'answer':
      return <AnswerBody event={event} needle={needle} />;
    case 'tool':
      return <ToolBody event={event} needle={needle} />;
    case 'tools':
      return <ToolListBody event={event} />;
  }
}

/** Styled once for all rows, because dozens of rows come into view at a time. */
const Row = styled('article')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: '92px 20px minmax(0, 1fr) 56px',
  columnGap: theme.spacing(1.25),
  padding: theme.spacing(1.25, 2),
  borderBottom: '1px solid var(--mui-palette-divider)',
  '&[data-marked=true]': {
    background: toneSurface('run', 6),
    boxShadow: 'inset 3px 0 0 var(--mui-palette-primary-main)',
  },
  '& > .when': {
    fontSize: '0.75rem',
    color: 'var(--mui-palette-text-secondary)',
    fontVariantNumeric: 'tabular-nums',
    paddingTop: 1,
  },
  '& > .icon': { color: 'var(--mui-palette-text-secondary)', paddingTop: 2 },
  '&[data-kind=answer] > .icon': { color: 'var(--mui-palette-primary-main)' },
  '& > .body': { minWidth: 0 },
  '& > .tools': { display: 'flex', alignItems: 'flex-start', justifyContent: 'flex-end' },
  '& > .tools > button': { opacity: 0.45 },
  '&:hover > .tools > button, & > .tools > button:focus-visible': { opacity: 1 },
  // On narrow screens, icon, time and tools are in one line above the body.
  [theme.breakpoints.down('md')]: {
    gridTemplateColumns: '20px minmax(0, 1fr) auto',
    gridTemplateAreas: '"icon when tools" "body body body"',
    alignItems: 'center',
    '& > .icon': { gridArea: 'icon' },
    '& > .when': { gridArea: 'when', paddingTop: 0 },
    '& > .tools': { gridArea: 'tools' },
    '& > .body': { gridArea: 'body' },
    '& > .tools > button': { opacity: 1 },
  },
}));

/** One event with its time and a link. Memoized. */
export const EventRow = memo(
  ({ event, needle, marked }: { event: StageEvent; needle: string; marked: boolean }): ReactElement => {
    const { zone } = usePrefs();
    const [, change] = useAddress();
    const Icon = ICONS[event.kind];
    const link = (): void => {
      change({ tab: null, event: event.id });
      const address = new URL(location.href);
      address.searchParams.delete('tab');
      address.searchParams.set('event', event.id);
      navigator.clipboard.writeText(address.href).catch(() => undefined);
    };
    return (
      <Row id={`event-${event.id}`} data-kind={event.kind} data-marked={marked}>
        {'at' in event ? (
          <time
            className="when"
            dateTime={isoMicros(event.at.timestamp_us)}
            title={formatFull(event.at.timestamp_us, zone)}
          >
            {formatClock(event.at.timestamp_us, zone)}
          </time>
        ) : (
          <span className="when" />
        )}
        <span className="icon">
          <Icon size={15} aria-hidden />
        </span>
        <div className="body">
          <Body event={event} needle={needle} />
        </div>
        <div className="tools">
          {'at' in event && <CopyButton text={() => JSON.stringify(event.at, null, 2)} what="event as JSON" />}
          <IconAction does="Copy link to this event" onClick={link}>
            <Link2 size={14} />
          </IconAction>
        </div>
      </Row>
    );
  },
);
EventRow.displayName = 'EventRow';
