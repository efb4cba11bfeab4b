import { Box, useMediaQuery } from '@mui/material';
import type { Theme } from '@mui/material/styles';
import type { ReadSession } from '@tarsy/ui';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { AlertSummary } from './AlertSummary';
import { AnswerCard } from './AnswerCard';
import type { Pointed } from './pointing';

const EvidencePanel = lazy(async () => import('./EvidencePanel').then((part) => ({ default: part.EvidencePanel })));

/** The answer, and next to it the evidence for the sentence that the reader points at; before that, the alert. */
export function AnswerZone({ session }: { session: ReadSession }): ReactElement {
  const [shown, setShown] = useState<{ of: string; pointed: Pointed } | null>(null);
  const isBeside = useMediaQuery((theme: Theme) => theme.breakpoints.up('lg'));
  const alert = <AlertSummary session={session} />;
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 2,
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) 400px' },
        alignItems: 'stretch',
      }}
    >
      <AnswerCard
        session={session}
        onPoint={
          isBeside
            ? (pointed) => {
                setShown({ of: session.session_id, pointed });
              }
            : undefined
        }
      />
      {isBeside && shown?.of === session.session_id ? (
        <Suspense fallback={alert}>
          <EvidencePanel
            session={session}
            pointed={shown.pointed}
            onClose={() => {
              setShown(null);
            }}
          />
        </Suspense>
      ) : (
        alert
      )}
    </Box>
  );
}
