import { Button, Typography } from '@mui/material';
import {
  formatBytes,
  Code,
  formatDuration,
  Highlight,
  containsText,
  mono,
  type PromptEvent,
  type ToolEvent,
  type ToolListEvent,
} from '@tarsy/ui';
import { useState, type ReactElement } from 'react';
import { Badge, ErrorText, EventHeader, ToolArguments } from './EventParts';

/** Prompt of a model call. It is collapsed, because it is long. */
export function PromptBody({ event, needle }: { event: PromptEvent; needle: string }): ReactElement {
  const [open, setOpen] = useState(false);
  const shown = open || (needle !== '' && containsText(event.text, needle));
  const name = event.role === 'system' ? 'Instructions' : event.role === 'user' ? 'Request' : event.role;
  return (
    <>
      <EventHeader title={name} note={formatBytes(event.text.length)}>
        <Button
          onClick={() => {
            setOpen(!open);
          }}
          aria-expanded={shown}
          sx={{ py: 0 }}
        >
          {shown ? 'Hide' : 'Show'}
        </Button>
      </EventHeader>
      {shown && <Code text={event.text} what={name.toLowerCase()} needle={needle} lines={60} />}
    </>
  );
}

/** A tool call: arguments, result, masking and truncation. */
export function ToolBody({ event, needle }: { event: ToolEvent; needle: string }): ReactElement {
  const { at } = event;
  return (
    <>
      <EventHeader
        title={
          <code style={{ fontFamily: mono }}>
            <Highlight text={event.name} needle={needle} />
          </code>
        }
        note={`${formatDuration(at.duration_ms)} · ${formatBytes(event.output.length)}`}
      >
        {at.success == null && (
          <Badge tone="run" label="pending" hint="No result recorded yet, or the worker was lost" />
        )}
        {at.success === false && !at.details.refused && (
          <Badge tone="bad" label="failed" hint="The tool returned an error" />
        )}
        {at.details.refused === true && (
          <Badge
            tone="bad"
            label="refused"
            hint="Not executed: tool not allowed, invalid arguments, or a destructive call"
          />
        )}
        {event.maskedTotal > 0 && (
          <Badge
            tone="warn"
            label={`${String(event.maskedTotal)} masked`}
            hint={`Secrets masked: ${event.masked.map(([kind, times]) => `${kind} ×${String(times)}`).join(', ')}`}
          />
        )}
        {event.truncated && (
          <Badge
            tone="warn"
            label="truncated"
            hint="The result exceeded the size limit. The agent can read further pages."
          />
        )}
        {at.details.effect != null && at.details.effect !== 'read_only' && (
          <Badge tone="rest" label={at.details.effect.replace('_', '-')} hint="Effect declared by the server" />
        )}
      </EventHeader>
      <ErrorText text={at.error_message} needle={needle} />
      {event.input !== '' && event.input !== '{}' && (
        <ToolArguments>
          <Highlight text={JSON.stringify(at.details.parameters)} needle={needle} />
        </ToolArguments>
      )}
      {event.output !== '' && <Code text={event.output} what="tool result" needle={needle} lines={8} />}
    </>
  );
}

/** Tools that a server offers. */
export function ToolListBody({ event }: { event: ToolListEvent }): ReactElement {
  const [open, setOpen] = useState(false);
  return (
    <>
      <EventHeader
        title={`${event.at.details.server_name}: ${String(event.names.length)} tools available`}
        note={formatDuration(event.at.duration_ms)}
      >
        {event.names.length > 0 && (
          <Button
            onClick={() => {
              setOpen(!open);
            }}
            aria-expanded={open}
            sx={{ py: 0 }}
          >
            {open ? 'Hide' : 'Show'}
          </Button>
        )}
      </EventHeader>
      <ErrorText text={event.at.error_message} needle="" />
      {open && (
        <Typography variant="caption" sx={{ fontFamily: mono }}>
          {event.names.join(', ')}
        </Typography>
      )}
    </>
  );
}
