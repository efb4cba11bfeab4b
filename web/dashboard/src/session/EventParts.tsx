import { Button, Chip, Tooltip, Typography } from '@mui/material';
import { styled } from '@mui/material/styles';
import { formatBytes, Highlight, containsText, mono, preview, toneColor, toneSurface, type Tone } from '@tarsy/ui';
import { useState, type ReactElement, type ReactNode } from 'react';

/** Small label of an event with a tooltip. */
export function Badge({ tone, label, hint }: { tone: Tone; label: string; hint: string }): ReactElement {
  return (
    <Tooltip title={hint}>
      <Chip label={label} sx={{ height: 20, color: toneColor[tone], bgcolor: toneSurface(tone) }} />
    </Tooltip>
  );
}

// Styles that every row has, created once.
const Title = styled('div')({
  display: 'flex',
  gap: 8,
  alignItems: 'center',
  flexWrap: 'wrap',
  marginBottom: 4,
  '& > h4': { margin: 0, fontSize: '0.8125rem', fontWeight: 600, lineHeight: 1.43, overflowWrap: 'anywhere' },
  '& > .note': { fontSize: '0.75rem', color: 'var(--mui-palette-text-secondary)', fontVariantNumeric: 'tabular-nums' },
});
const Text = styled('div')({
  fontSize: '0.8125rem',
  lineHeight: 1.43,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  maxWidth: '96ch',
});
/** Arguments of a tool call. */
export const ToolArguments = styled('div')({
  fontFamily: mono,
  fontSize: '0.75rem',
  overflowWrap: 'anywhere',
  marginBottom: 4,
  color: 'var(--mui-palette-text-secondary)',
});

/** Text button. Cheaper than the library's button, because many rows have one. */
export const TextButton = styled('button')({
  font: 'inherit',
  fontSize: '0.75rem',
  fontWeight: 550,
  color: 'var(--mui-palette-primary-main)',
  background: 'none',
  border: 0,
  margin: 0,
  minHeight: 24,
  padding: '0 4px',
  borderRadius: 4,
  cursor: 'pointer',
  '&:hover': { background: 'var(--mui-palette-action-hover)' },
});

/** Title, badges and metrics of an event; `hint` is the metrics' tooltip. */
export function EventHeader({
  title,
  note,
  hint,
  children,
}: {
  title: ReactNode;
  note?: ReactNode;
  hint?: string;
  children?: ReactNode;
}): ReactElement {
  return (
    <Title>
      <h4>{title}</h4>
      {children}
      <span className="note" title={hint}>
        {note}
      </span>
    </Title>
  );
}

/** Text with a preview that expands. */
export function ExpandableText({ text, needle, lines }: { text: string; needle: string; lines: number }): ReactElement {
  const [open, setOpen] = useState(false);
  const short = preview(text, lines, lines * 140);
  const whole = open || !short.cut || (needle !== '' && containsText(text, needle));
  return (
    <div>
      <Text>
        <Highlight text={whole ? text : short.text} needle={needle} />
      </Text>
      {short.cut && (
        <Button
          onClick={() => {
            setOpen(!open);
          }}
          aria-expanded={whole}
          sx={{ py: 0, ml: -0.75 }}
        >
          {whole ? 'Show less' : `Show all (${formatBytes(text.length)})`}
        </Button>
      )}
    </div>
  );
}

/** Error text; renders nothing without an error. */
export function ErrorText({ text, needle }: { text: string | null | undefined; needle: string }): ReactElement | null {
  return text == null ? null : (
    <Typography variant="body2" color="error" sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      <Highlight text={text} needle={needle} />
    </Typography>
  );
}
