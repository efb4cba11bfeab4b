import { Box, Button } from '@mui/material';
import { styled } from '@mui/material/styles';
import { toneSurface } from '@tarsy/ui';
import { Fragment, useMemo, useState, type ReactElement } from 'react';
import { diffText, folded, type Line } from './diff';

/** Lines of context around a change. */
const AROUND = 2;
const SIGN = { same: ' ', gone: '−', new: '+' } as const;

const Frame = styled('div')(({ theme }) => ({
  border: '1px solid var(--mui-palette-divider)',
  borderRadius: theme.shape.borderRadius,
  background: 'var(--mui-palette-background-default)',
  padding: theme.spacing(0.75, 0),
  fontSize: '0.8125rem',
  lineHeight: 1.5,
  overflowWrap: 'anywhere',
  '& .line': {
    display: 'grid',
    gridTemplateColumns: '1.5rem minmax(0, 1fr)',
    paddingRight: theme.spacing(1.25),
    whiteSpace: 'pre-wrap',
    minHeight: '1.5em',
  },
  '& .line > span': { textAlign: 'center', userSelect: 'none' },
  '& del, & ins': { textDecoration: 'none' },
  '& .gone': { background: toneSurface('bad', 9) },
  '& .new': { background: toneSurface('good', 9) },
  '& .gone mark, & .new mark': { color: 'inherit', borderRadius: 2 },
  '& .gone mark': { background: toneSurface('bad', 26), textDecoration: 'line-through' },
  '& .new mark': { background: toneSurface('good', 26), textDecoration: 'underline', textUnderlineOffset: 3 },
}));

function Row({ line }: { line: Line }): ReactElement {
  const text = line.pieces.map((piece, at) =>
    piece.changed ? <mark key={at}>{piece.text}</mark> : <Fragment key={at}>{piece.text}</Fragment>,
  );
  return (
    <div className={`line ${line.kind}`} data-diff={line.kind}>
      <span aria-hidden>{SIGN[line.kind]}</span>
      {line.kind === 'gone' ? <del>{text}</del> : line.kind === 'new' ? <ins>{text}</ins> : <div>{text}</div>}
    </div>
  );
}

/** Collapsed run of unchanged lines. */
function Fold({ lines }: { lines: readonly Line[] }): ReactElement {
  const [open, setOpen] = useState(false);
  if (open)
    return (
      <>
        {lines.map((line, at) => (
          <Row key={at} line={line} />
        ))}
      </>
    );
  return (
    <Box sx={{ pl: 2 }}>
      <Button
        onClick={() => {
          setOpen(true);
        }}
        sx={{ py: 0 }}
      >
        {lines.length} unchanged lines
      </Button>
    </Box>
  );
}

/** Line diff of two texts with changed words marked. */
export function TextDiff({ a, b, label }: { a: string; b: string; label: string }): ReactElement {
  const parts = useMemo(() => folded(diffText(a, b), (line) => line.kind === 'same', AROUND), [a, b]);
  return (
    <Frame role="group" aria-label={label}>
      {parts.map((part, at) => (Array.isArray(part) ? <Fold key={at} lines={part} /> : <Row key={at} line={part} />))}
    </Frame>
  );
}
