/** Analysis with section links and confidence. */
import { Box, Link, Tooltip } from '@mui/material';
import { useMemo, useRef, type ReactElement, type RefObject } from 'react';
import { linked, outline, type Confidence, type Outline, type Section } from '../text/sections';
import { unshownClaims, type Claims } from '../session/claims';
import type { EvidenceLinks } from '../text/EvidenceLinks';
import { pluralize } from '../prefs/format';
import { verdictTone, type Tone } from '../theme/tones';
import { Answer } from './Answer';
import { ToneChip } from './StatusChip';

const TONE: Record<Confidence, Tone> = { high: 'rest', medium: 'warn', low: 'bad' };

/** Returns the sections and the confidence of an analysis, parsed once per text. */
export const useOutline = (text: string | null | undefined): Outline => useMemo(() => outline(text ?? ''), [text]);

/** Confidence stated by the model. It has the colour of success only if the verdict is good too. */
export function ConfidenceChip({
  level,
  verdict,
}: {
  level: Confidence;
  verdict: string | null | undefined;
}): ReactElement {
  const tone = level === 'high' && verdictTone(verdict)?.tone === 'good' ? 'good' : TONE[level];
  return (
    <Tooltip title="Stated by the model, not verified" describeChild>
      <span data-testid="confidence">
        <ToneChip plain={tone === 'rest'} tone={tone} label={`Model's confidence: ${level}`} />
      </span>
    </Tooltip>
  );
}

/** Number of claims in an answer that a tool call shows. It becomes a warning below half. */
export function ClaimsChip({ claims }: { claims: Claims | null }): ReactElement | null {
  const all = claims?.claims.length ?? 0;
  if (all === 0) return null;
  const shown = all - unshownClaims(claims);
  return (
    <Tooltip title="Claims that cite a tool call which succeeded" describeChild>
      <span data-testid="claims-shown">
        <ToneChip
          plain
          tone={shown * 2 < all ? 'warn' : 'rest'}
          label={`${String(shown)} of ${pluralize(all, 'claim')} shown`}
        />
      </span>
    </Tooltip>
  );
}

/** Scrolls to a heading and focuses it. */
function goTo(heading: HTMLElement): void {
  heading.tabIndex = -1;
  heading.addEventListener(
    'blur',
    () => {
      heading.removeAttribute('tabindex');
    },
    { once: true },
  );
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: 'start' });
}

function Sections({
  sections,
  within,
}: {
  sections: readonly Section[];
  within: RefObject<HTMLElement | null>;
}): ReactElement {
  return (
    <Box
      component="nav"
      aria-label="Sections of the analysis"
      sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 0.75, mb: 1, color: 'text.secondary', fontSize: '0.75rem' }}
    >
      {sections.map(({ title, line }, index) => (
        <Box key={line} sx={{ display: 'flex', gap: 0.75, alignItems: 'center', minWidth: 0 }}>
          <Link
            component="button"
            variant="caption"
            underline="hover"
            noWrap
            title={title}
            sx={{ minHeight: 24, maxWidth: '28ch' }}
            onClick={() => {
              const heading = within.current?.querySelector<HTMLElement>(`[data-line="${String(line)}"]`);
              if (heading != null) goTo(heading);
            }}
          >
            {title}
          </Link>
          {index < sections.length - 1 && <span aria-hidden>·</span>}
        </Box>
      ))}
    </Box>
  );
}

/** Analysis with links to its sections. */
export function Report({
  text,
  sections,
  seen = null,
}: {
  text: string;
  sections: readonly Section[];
  seen?: EvidenceLinks | null;
}): ReactElement {
  const body = useRef<HTMLDivElement>(null);
  const links = linked(sections);
  return (
    <div>
      {links.length > 0 && <Sections sections={links} within={body} />}
      <div ref={body}>
        <Answer text={text} seen={seen} />
      </div>
    </div>
  );
}
