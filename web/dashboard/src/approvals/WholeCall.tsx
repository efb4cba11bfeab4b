import { Typography } from '@mui/material';
import { styled } from '@mui/material/styles';
import { CopyButton, mono, pluralize } from '@tarsy/ui';
import { useEffect, useId, useRef, useState, type ReactElement } from 'react';

const Frame = styled('div')(({ theme }) => ({
  position: 'relative',
  '& > pre': {
    margin: 0,
    padding: theme.spacing(1, 4.5, 1, 1),
    overflow: 'auto',
    maxHeight: 'min(31em, 50vh)',
    fontFamily: mono,
    fontSize: '0.75rem',
    lineHeight: 1.5,
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
    background: 'var(--mui-palette-background-default)',
    border: '1px solid var(--mui-palette-divider)',
    borderRadius: theme.shape.borderRadius,
  },
  '& > .copy': { position: 'absolute', top: 3, right: 3 },
}));

/** Number of lines below the fold, including one that is partly visible; null: the whole text fits. */
function linesBelow(pre: HTMLElement): number | null {
  const { lineHeight, paddingBottom } = getComputedStyle(pre);
  if (pre.scrollHeight <= pre.clientHeight) return null;
  // Browsers round the heights but not the position, so a pixel is not a line.
  const hidden = pre.scrollHeight - pre.clientHeight - pre.scrollTop - Number.parseFloat(paddingBottom) - 1;
  return Math.max(0, Math.ceil(hidden / Number.parseFloat(lineHeight)));
}

/**
 * The text of a call that a person decides about. It is never cut or reordered. A long text scrolls, and a line shows
 * how much is below.
 */
export function WholeCall({ text, what }: { text: string; what: string }): ReactElement {
  const pre = useRef<HTMLPreElement>(null);
  const whole = useRef<HTMLElement>(null);
  const [below, setBelow] = useState<number | null>(null);
  const note = useId();
  const measure = (): void => {
    if (pre.current !== null) setBelow(linesBelow(pre.current));
  };
  useEffect(() => {
    if (pre.current === null || whole.current === null) return undefined;
    const watch = new ResizeObserver(() => {
      measure();
    });
    watch.observe(pre.current);
    // A full frame keeps its size when its text changes.
    watch.observe(whole.current);
    return () => {
      watch.disconnect();
    };
  }, []);
  return (
    <div>
      <Frame>
        <pre
          ref={pre}
          tabIndex={0}
          dir="ltr"
          role="group"
          aria-label={what}
          aria-describedby={below === null ? undefined : note}
          data-testid="whole-call"
          onScroll={measure}
        >
          {/* Right-to-left letters would reorder the text around them. A ligature draws two characters as one. */}
          <code
            ref={whole}
            style={{
              display: 'block',
              fontFamily: 'inherit',
              unicodeBidi: 'isolate-override',
              fontVariantLigatures: 'none',
            }}
          >
            {text}
          </code>
        </pre>
        <div className="copy">
          <CopyButton text={text} what={what} />
        </div>
      </Frame>
      {/* The line stays at the end, so that the buttons below it do not move under the pointer. */}
      {below !== null && (
        <Typography
          id={note}
          data-testid="lines-below"
          variant="caption"
          sx={{
            display: 'block',
            mt: 0.5,
            ...(below > 0 ? { color: 'warning.main', fontWeight: 600 } : { color: 'text.secondary' }),
          }}
        >
          {below > 0 ? `${pluralize(below, 'more line')} below` : 'End of the call'}
        </Typography>
      )}
    </div>
  );
}
