import { Box, Button, Chip, Tooltip, Typography } from '@mui/material';
import { styled } from '@mui/material/styles';
import { bytes, Code, cost, count, duration, Hits, holds, mono, preview, toneColor, toneSurface, type AnswerEvent, type PromptEvent, type Tone, type ToolEvent, type ToolListEvent } from '@tarsy/ui';
import { useState, type ReactElement, type ReactNode } from 'react';

function Badge({ tone, label, hint }: { tone: Tone; label: string; hint: string }): ReactElement {
  return <Tooltip title={hint}><Chip label={label} sx={{ height: 20, color: toneColor[tone], bgcolor: toneSurface(tone) }} /></Tooltip>;
}

// Styles that every row has, made once.
const Title = styled('div')({
  display: 'flex', gap: 8, alignItems: 'center', flexWrap: 'wrap', marginBottom: 4,
  '& > h4': { margin: 0, fontSize: '0.8125rem', fontWeight: 600, lineHeight: 1.43, overflowWrap: 'anywhere' },
  '& > .note': { fontSize: '0.75rem', color: 'var(--mui-palette-text-secondary)', fontVariantNumeric: 'tabular-nums' },
});
const Text = styled('div')({ fontSize: '0.8125rem', lineHeight: 1.43, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxWidth: '96ch' });
const Input = styled('div')({ fontFamily: mono, fontSize: '0.75rem', overflowWrap: 'anywhere', marginBottom: 4, color: 'var(--mui-palette-text-secondary)' });

function Head({ title, note, children }: { title: ReactNode; note?: ReactNode; children?: ReactNode }): ReactElement {
  return <Title><h4>{title}</h4>{children}<span className="note">{note}</span></Title>;
}

/** Running prose: as it was written, cut until it is opened. */
function Prose({ text, needle, lines }: { text: string; needle: string; lines: number }): ReactElement {
  const [open, setOpen] = useState(false);
  const short = preview(text, lines, lines * 140);
  const whole = open || !short.cut || (needle !== '' && holds(text, needle));
  return (
    <div>
      <Text><Hits text={whole ? text : short.text} needle={needle} /></Text>
      {short.cut && <Button onClick={() => { setOpen(!open); }} aria-expanded={whole} sx={{ py: 0, ml: -0.75 }}>{whole ? 'Less' : `All of it (${bytes(text.length)})`}</Button>}
    </div>
  );
}

function Failure({ text, needle }: { text: string | null | undefined; needle: string }): ReactElement | null {
  return text == null ? null : <Typography variant="body2" color="error" sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}><Hits text={text} needle={needle} /></Typography>;
}

/** What the model was told; closed, because it is long and mostly the same. */
export function PromptBody({ event, needle }: { event: PromptEvent; needle: string }): ReactElement {
  const [open, setOpen] = useState(false);
  const shown = open || (needle !== '' && holds(event.text, needle));
  const name = event.role === 'system' ? 'Instructions' : event.role === 'user' ? 'Request' : event.role;
  return (
    <>
      <Head title={name} note={bytes(event.text.length)}>
        <Button onClick={() => { setOpen(!open); }} aria-expanded={shown} sx={{ py: 0 }}>{shown ? 'Hide' : 'Show'}</Button>
      </Head>
      {shown && <Code text={event.text} what={name.toLowerCase()} needle={needle} lines={60} />}
    </>
  );
}

/** What the model answered: its thinking, its thought, what it calls, its conclusion. */
export function AnswerBody({ event, needle }: { event: AnswerEvent; needle: string }): ReactElement {
  const { at, reply } = event;
  const { details } = at;
  const tokens = details.input_tokens == null ? '' : ` · ${count(details.input_tokens)} → ${count(details.output_tokens)} tokens`;
  const cached = (details.cached_tokens ?? 0) > 0 ? ` (${count(details.cached_tokens)} cached)` : '';
  return (
    <>
      <Head title={at.step_description} note={`${details.answered_by ?? details.model_name} · ${duration(at.duration_ms)}${tokens}${cached}${details.cost_usd == null ? '' : ` · ${cost(details.cost_usd)}`}`}>
        {at.success == null && <Badge tone="run" label="no answer yet" hint="The call was recorded before it was made; its answer has not come, or its worker was lost" />}
        {at.success === false && <Badge tone="bad" label={details.error_class ?? 'failed'} hint="The call failed" />}
        {details.finish_reason === 'length' && <Badge tone="warn" label="cut off" hint="The model ran into its output limit" />}
        {details.provider === 'scripted' && <Badge tone="rest" label="scripted" hint="A script answered, not a model" />}
      </Head>
      <Failure text={at.error_message} needle={needle} />
      {details.thinking != null && details.thinking !== '' && <Box sx={{ borderLeft: 2, borderColor: 'divider', pl: 1, mb: 0.5, color: 'text.secondary' }}><Prose text={details.thinking} needle={needle} lines={3} /></Box>}
      {reply.rest !== null && <Prose text={reply.rest} needle={needle} lines={8} />}
      {reply.thought !== null && <Prose text={reply.thought} needle={needle} lines={8} />}
      {reply.action !== null && <Typography variant="body2" color="text.secondary" sx={{ mt: 0.25 }}>calls <code style={{ fontFamily: mono }}><Hits text={reply.action} needle={needle} /></code></Typography>}
      {event.toolCalls !== null && <Code text={event.toolCalls} what="tool calls" needle={needle} lines={4} />}
      {reply.finalAnswer !== null && <Box sx={{ borderLeft: 3, borderColor: 'success.main', pl: 1.25, mt: 0.5 }}><Typography variant="caption" color="text.secondary">Conclusion of the stage</Typography><Prose text={reply.finalAnswer} needle={needle} lines={12} /></Box>}
    </>
  );
}

/** A tool call: arguments, result, and what was done to it on the way. */
export function ToolBody({ event, needle }: { event: ToolEvent; needle: string }): ReactElement {
  const { at } = event;
  return (
    <>
      <Head title={<code style={{ fontFamily: mono }}><Hits text={event.name} needle={needle} /></code>} note={`${duration(at.duration_ms)} · ${bytes(event.output.length)}`}>
        {at.success == null && <Badge tone="run" label="no result" hint="Recorded before the call; the result has not come, or its worker was lost" />}
        {at.success === false && !at.details.refused && <Badge tone="bad" label="failed" hint="The tool answered with an error" />}
        {at.details.refused === true && <Badge tone="bad" label="refused" hint="Not carried out: not the agent’s tool, wrong arguments, or it would change something" />}
        {event.maskedTotal > 0 && <Badge tone="warn" label={`${String(event.maskedTotal)} masked`} hint={`Secrets taken out before anything saw them: ${event.masked.map(([kind, times]) => `${kind} ×${String(times)}`).join(', ')}`} />}
        {event.truncated && <Badge tone="warn" label="truncated" hint="The result was larger than its bound and was cut; the agent can read on by pages" />}
        {at.details.effect != null && at.details.effect !== 'read_only' && <Badge tone="rest" label={at.details.effect.replace('_', '-')} hint="What the server says this tool may do" />}
      </Head>
      <Failure text={at.error_message} needle={needle} />
      {event.input !== '' && event.input !== '{}' && <Input><Hits text={JSON.stringify(at.details.parameters)} needle={needle} /></Input>}
      {event.output !== '' && <Code text={event.output} what="tool result" needle={needle} lines={8} />}
    </>
  );
}

export function ToolListBody({ event }: { event: ToolListEvent }): ReactElement {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Head title={`${event.at.details.server_name}: ${String(event.names.length)} tools offered`} note={duration(event.at.duration_ms)}>
        {event.names.length > 0 && <Button onClick={() => { setOpen(!open); }} aria-expanded={open} sx={{ py: 0 }}>{open ? 'Hide' : 'Show'}</Button>}
      </Head>
      <Failure text={event.at.error_message} needle="" />
      {open && <Typography variant="caption" sx={{ fontFamily: mono }}>{event.names.join(', ')}</Typography>}
    </>
  );
}
