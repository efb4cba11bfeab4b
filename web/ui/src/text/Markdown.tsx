import { Box } from '@mui/material';
import type { Element } from 'hast';
import { toJsxRuntime } from 'hast-util-to-jsx-runtime';
import type { ComponentType, JSX, ReactElement } from 'react';
import { Fragment, jsx, jsxs } from 'react/jsx-runtime';
import { mono } from '../theme/theme';
import { CopyButton } from '../parts/CopyButton';
import { InlineCode, EvidenceLinksContext, type EvidenceLinks } from './EvidenceLinks';
import { markdownTree } from './markdownTree';
import { withSentences } from './sentences';

/** Components by element. Each also gets the element's node, with its position in the text. */
type Components = {
  [Tag in keyof JSX.IntrinsicElements]?: ComponentType<JSX.IntrinsicElements[Tag] & { node?: Element }>;
};

function textOf(node: unknown): string {
  if (node === null || typeof node !== 'object') return '';
  const { value, children } = node as { value?: unknown; children?: unknown[] };
  return typeof value === 'string' ? value : (children ?? []).map(textOf).join('');
}

/** Heading with its line number, the same as in `outline`. It has no id, which would come from the model's text. */
const heading = (Tag: 'h3' | 'h4' | 'h5' | 'h6', className?: string): NonNullable<Components['h1']> =>
  function Heading({ children, node }) {
    return (
      <Tag className={className} data-line={node?.position?.start.line}>
        {children}
      </Tag>
    );
  };

const components: Components = {
  // Headings of a report rank below those of the page.
  h1: heading('h3', 'top'),
  h2: heading('h4'),
  h3: heading('h5'),
  h4: heading('h6'),
  h5: heading('h6'),
  h6: heading('h6'),
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      <EvidenceLinksContext value={null}>{children}</EvidenceLinksContext>
    </a>
  ),
  code: InlineCode,
  table: ({ children }) => (
    <div className="scroll" tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  pre: ({ children, node }) => (
    <div className="code">
      <pre tabIndex={0}>
        <EvidenceLinksContext value={null}>{children}</EvidenceLinksContext>
      </pre>
      <span className="copy">
        <CopyButton text={textOf(node)} what="code" />
      </span>
    </div>
  ),
};

/** Sanitized Markdown of a model, with links to evidence. */
export default function Markdown({ text, seen = null }: { text: string; seen?: EvidenceLinks | null }): ReactElement {
  const tree = markdownTree(text);
  const shown = seen?.event === undefined ? tree : withSentences(tree);
  return (
    <Box
      sx={{
        lineHeight: 1.55,
        '& > p, & > ul, & > ol, & > h3, & > h4, & > h5, & > h6, & > blockquote': { maxWidth: '92ch' },
        overflowWrap: 'anywhere',
        fontSize: '0.875rem',
        '& h3, & h4, & h5, & h6': { lineHeight: 1.35, mt: 2, mb: 0.75, fontSize: '0.95rem', fontWeight: 650 },
        // Keeps a target below the sticky top of the page. The outline shows it also after a click with the mouse.
        '& [data-line]': { scrollMarginTop: 62 },
        '& [data-line]:focus': {
          outline: '2px solid var(--mui-palette-primary-main)',
          outlineOffset: 3,
          borderRadius: 0.5,
        },
        '& h3.top': { fontSize: '1.1rem' },
        '& > :not(* + *)': { mt: 0 },
        '& p': { my: 0.75 },
        '& ul, & ol': { pl: 3, my: 0.75 },
        '& li': { my: 0.25 },
        '& code': { fontFamily: mono, fontSize: '0.85em', bgcolor: 'action.hover', px: 0.4, borderRadius: 0.5 },
        '& .seen': {
          font: 'inherit',
          color: 'inherit',
          background: 'none',
          border: 0,
          p: 0,
          textAlign: 'inherit',
          cursor: 'pointer',
          overflowWrap: 'anywhere',
        },
        '& .seen code': {
          textDecoration: 'underline dotted',
          textDecorationColor: 'var(--mui-palette-primary-main)',
          textDecorationThickness: 2,
          textUnderlineOffset: 3,
        },
        '& .unseen': {
          textDecoration: 'underline dotted',
          textDecorationColor: 'var(--mui-palette-warning-main)',
          textDecorationThickness: 2,
          textUnderlineOffset: 3,
          cursor: 'help',
        },
        '& .seen:hover code': { color: 'primary.main' },
        '& .code': { position: 'relative', my: 1 },
        '& .code pre': {
          m: 0,
          p: 1.25,
          pr: 5,
          overflow: 'auto',
          bgcolor: 'background.default',
          border: 1,
          borderColor: 'divider',
          borderRadius: 1,
        },
        '& .code pre code': { bgcolor: 'transparent', p: 0, fontSize: '0.8rem' },
        '& .code .copy': { position: 'absolute', top: 4, right: 4 },
        '& .scroll': { overflowX: 'auto', my: 1 },
        '& table': { borderCollapse: 'collapse', fontSize: '0.8125rem' },
        '& th, & td': { border: 1, borderColor: 'divider', px: 1, py: 0.5, textAlign: 'left', verticalAlign: 'top' },
        '& th': { bgcolor: 'action.hover' },
        '& a': { color: 'primary.main' },
        '& blockquote': { m: 0, pl: 1.5, borderLeft: 3, borderColor: 'divider', color: 'text.secondary' },
      }}
    >
      <EvidenceLinksContext value={seen}>
        {toJsxRuntime(shown, { Fragment, jsx, jsxs, components, passKeys: true, passNode: true })}
      </EvidenceLinksContext>
    </Box>
  );
}
