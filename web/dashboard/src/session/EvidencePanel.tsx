import { Box, Link, Typography } from '@mui/material';
import {
  COLUMN,
  conversation,
  excerpt,
  executionName,
  Faint,
  mono,
  pluralize,
  TipButton,
  toneSurface,
  visible,
  type ReadSession,
  type StageDetail,
  type ToolEvent,
} from '@tarsy/ui';
import { X } from 'lucide-react';
import { useLayoutEffect, useMemo, useRef, type ReactElement } from 'react';
import type { Pointed } from './pointing';
import { ToolArguments } from './EventParts';
import { useShowEvent } from './evidenceLinks';

/** Maximum number of results that are shown at once. The record has all of them. */
const MOST = 4;

/** Tool calls with their stages, by event id. */
function callsById(session: ReadSession): ReadonlyMap<string, { call: ToolEvent; stage: StageDetail }> {
  return new Map(
    session.stages.flatMap((stage) =>
      conversation(stage.chronological_interactions).flatMap((event) =>
        event.kind === 'tool' ? [[event.id, { call: event, stage }] as const] : [],
      ),
    ),
  );
}

/** Lines of a tool result, with the supporting line marked and scrolled into view. */
function Lines({ text, words }: { text: string; words: readonly string[] }): ReactElement {
  const shown = useMemo(() => excerpt(text, words), [text, words]);
  const pre = useRef<HTMLPreElement>(null);
  // Scrolls before the paint. Otherwise, the first line would be visible for a moment.
  useLayoutEffect(() => {
    const [box, line] = [pre.current, pre.current?.querySelector<HTMLElement>('[data-here]')];
    if (box !== null && line != null) box.scrollTop = line.offsetTop - box.clientHeight / 3;
  }, [shown]);
  return (
    <>
      <Box
        component="pre"
        ref={pre}
        tabIndex={0}
        role="group"
        aria-label="tool result"
        sx={{
          position: 'relative',
          m: 0,
          p: 1,
          maxHeight: 210,
          overflow: 'auto',
          fontFamily: mono,
          fontSize: '0.75rem',
          lineHeight: 1.5,
          whiteSpace: 'pre-wrap',
          overflowWrap: 'anywhere',
          bgcolor: 'background.default',
          border: 1,
          borderColor: 'divider',
          borderRadius: 1,
          '& [data-here]': {
            bgcolor: toneSurface('warn', 20),
            boxShadow: 'inset 3px 0 0 var(--mui-palette-warning-main)',
            mx: -1,
            px: 1,
          },
        }}
      >
        {shown.lines.map((line, at) => (
          <Box key={at} data-here={shown.from + at === shown.at ? '' : undefined} sx={{ minHeight: '1.5em' }}>
            {visible(line)}
          </Box>
        ))}
      </Box>
      <Faint>
        {shown.at === null
          ? `The first of ${pluralize(shown.all, 'line')}`
          : `Line ${String(shown.at)} of ${String(shown.all)}`}
      </Faint>
    </>
  );
}

/** Evidence for the sentence that the reader points at: tool results, each scrolled to its supporting line. */
export function EvidencePanel({
  session,
  pointed,
  onClose,
}: {
  session: ReadSession;
  pointed: Pointed;
  onClose: () => void;
}): ReactElement {
  const calls = useMemo(() => callsById(session), [session]);
  const showEvent = useShowEvent();
  const proofs = pointed.proofs.flatMap(({ event, words }) => {
    const found = calls.get(event);
    return found === undefined ? [] : [{ ...found, words }];
  });
  return (
    <Box
      component="section"
      aria-labelledby="evidence-title"
      data-testid="evidence"
      sx={{
        border: 1,
        borderColor: 'primary.main',
        borderRadius: 1,
        bgcolor: 'background.paper',
        p: 2,
        ...COLUMN,
        gap: 1,
        alignSelf: 'start',
        position: 'sticky',
        top: 62,
        maxHeight: 'calc(100dvh - 78px)',
        overflow: 'auto',
      }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between' }}>
        <Typography variant="h2" id="evidence-title">
          Evidence
        </Typography>
        <TipButton tip="Show the alert" label="Close the evidence" onClick={onClose}>
          <X size={16} />
        </TipButton>
      </Box>
      <Typography variant="body2" color="text.secondary" sx={{ overflowWrap: 'anywhere' }}>
        {pointed.sentence}
      </Typography>
      {proofs.length === 0 && <Typography variant="body2">Its tool results are still loading.</Typography>}
      {proofs.slice(0, MOST).map(({ call, stage, words }) => (
        <Box key={call.id} data-testid="proof" sx={{ display: 'grid', gap: 0.25, minWidth: 0 }}>
          <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
            <code style={{ fontFamily: mono, fontWeight: 600 }}>{call.name}</code>{' '}
            <Faint>in {executionName(stage, session.stages)}</Faint>
          </Typography>
          {call.input !== '' && call.input !== '{}' && (
            <ToolArguments>{visible(JSON.stringify(call.at.details.parameters))}</ToolArguments>
          )}
          <Lines text={call.output} words={words} />
          <Link
            component="button"
            variant="caption"
            sx={{ justifySelf: 'start', minHeight: 24 }}
            onClick={() => {
              showEvent(call.id, words[0] ?? '');
            }}
          >
            Open in the record
          </Link>
        </Box>
      ))}
    </Box>
  );
}
