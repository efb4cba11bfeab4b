import { Button } from '@mui/material';
import { styled } from '@mui/material/styles';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { formatBytes } from '../prefs/format';
import { containsWord } from '../session/evidence';
import { parseAnsi, stripAnsi } from '../text/ansi';
import { Highlight } from '../text/Highlight';
import { preview } from '../text/show';
import { mono } from '../theme/theme';
import { toneColor } from '../theme/tones';
import { CopyButton } from './CopyButton';

/** Styled once for all instances, because a conversation shows dozens. */
const Frame = styled('div')(({ theme }) => ({
  position: 'relative',
  '& > pre': {
    margin: 0,
    padding: theme.spacing(1, 4.5, 1, 1),
    overflow: 'auto',
    fontFamily: mono,
    fontSize: '0.75rem',
    lineHeight: 1.5,
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
    background: 'var(--mui-palette-background-default)',
    border: '1px solid var(--mui-palette-divider)',
    borderRadius: theme.shape.borderRadius,
  },
  '& mark[data-here]': { outline: '2px solid var(--mui-palette-primary-main)', outlineOffset: 1 },
  '& > .copy': { position: 'absolute', top: 3, right: 3 },
}));

/** Scrolls to the first match that is a whole word, else to the first, and outlines it. */
function reveal(pre: HTMLElement, needle: string): void {
  const marks = [...pre.querySelectorAll('mark')];
  const around = (mark: HTMLElement): string =>
    `${mark.previousSibling?.textContent?.at(-1) ?? ''}${mark.textContent}${mark.nextSibling?.textContent?.[0] ?? ''}`.toLowerCase();
  const first = marks.find((mark) => containsWord(around(mark), needle.toLowerCase())) ?? marks[0];
  for (const mark of marks) mark.toggleAttribute('data-here', mark === first);
  if (first === undefined) return;
  pre.scrollTop += first.getBoundingClientRect().top - pre.getBoundingClientRect().top - pre.clientHeight / 3;
}

interface Props {
  text: string;
  /** Name of the copied text. */
  what: string;
  needle?: string;
  /** Lines in the preview. */
  lines?: number;
  /** Maximum height of the whole text; beyond it, the text scrolls. */
  height?: number | string;
}

/** Preformatted text with preview and copy button. */
export function Code({ text, what, needle = '', lines = 12, height = 480 }: Props): ReactElement {
  const [open, setOpen] = useState(false);
  const short = preview(text, lines, lines * 160);
  const whole = open || !short.cut || (needle !== '' && text.toLowerCase().includes(needle.toLowerCase()));
  const pre = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (needle !== '' && pre.current !== null) reveal(pre.current, needle);
  }, [needle, text, whole]);
  return (
    <Frame>
      <pre ref={pre} tabIndex={0} role="group" aria-label={what} style={{ maxHeight: whole ? height : 'none' }}>
        {parseAnsi(whole ? text : short.text).map((piece, at) =>
          piece.tone === null && !piece.bold && !piece.faint ? (
            <Highlight key={at} text={piece.text} needle={needle} />
          ) : (
            <span
              key={at}
              style={{
                color: piece.tone === null ? undefined : toneColor[piece.tone],
                fontWeight: piece.bold ? 700 : undefined,
                opacity: piece.faint ? 0.75 : undefined,
              }}
            >
              <Highlight text={piece.text} needle={needle} />
            </span>
          ),
        )}
      </pre>
      <div className="copy">
        <CopyButton text={() => stripAnsi(text)} what={what} />
      </div>
      {short.cut && (
        <Button
          onClick={() => {
            setOpen(!open);
          }}
          aria-expanded={whole}
          sx={{ mt: 0.25, py: 0 }}
        >
          {whole ? 'Show less' : `Show all (${formatBytes(text.length)})`}
        </Button>
      )}
    </Frame>
  );
}
