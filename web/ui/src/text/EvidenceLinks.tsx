import { Typography } from '@mui/material';
import { createContext, useContext, type ReactElement, type ReactNode } from 'react';
import { pluralize } from '../prefs/format';

/** Evidence for names in a text. */
export interface EvidenceLinks {
  /** Number of tool results with the name. */
  times: (name: string) => number;
  /** Whether the name was searched for and no tool result contains it. */
  isUnseen: (name: string) => boolean;
  /** Names that no tool result contains. */
  unseen: readonly string[];
  /** Tooltip of a name, if pressing it does not do the usual. */
  title?: (name: string) => string;
  /** Id of the tool result that shows the name best. Set only for texts whose sentences readers can point at. */
  event?: (name: string) => string | undefined;
  /** Scrolls to the first tool result with the name. */
  show: (name: string) => void;
}

/** Evidence for names in the surrounding text; null: unknown. */
export const EvidenceLinksContext = createContext<EvidenceLinks | null>(null);

/** Inline code; links to evidence if there is any. */
export function InlineCode({ children }: { children?: ReactNode }): ReactElement {
  const seen = useContext(EvidenceLinksContext);
  const name = typeof children === 'string' ? children.trim() : '';
  const times = seen?.times(name) ?? 0;
  if (seen === null || name === '') return <code>{children}</code>;
  if (times === 0)
    return seen.isUnseen(name) ? (
      <code className="unseen" title="No tool result has this name">
        {children}
      </code>
    ) : (
      <code>{children}</code>
    );
  return (
    <button
      type="button"
      className="seen"
      title={seen.title?.(name) ?? `Found in ${pluralize(times, 'tool result')}. Click to show the first.`}
      onClick={() => {
        seen.show(name);
      }}
    >
      <code>{children}</code>
    </button>
  );
}

/** Line that lists the names without evidence, so that the author's sentences need no marks. */
export function UnseenNames({ names }: { names: readonly string[] }): ReactElement | null {
  if (names.length === 0) return null;
  return (
    <Typography variant="caption" component="p" data-testid="unseen-names" sx={{ m: 0, overflowWrap: 'anywhere' }}>
      {pluralize(names.length, 'name')} that no tool showed:{' '}
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 && ', '}
          <code>{name}</code>
        </span>
      ))}
    </Typography>
  );
}
