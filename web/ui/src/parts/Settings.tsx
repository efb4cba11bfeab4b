import { Settings2 } from 'lucide-react';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { TipButton } from './TipButton';

// Its fields are a fifth of what the shell needs otherwise.
const Panel = lazy(async () => import('./SettingsPanel'));

/** Button for theme, time zone, time style, who is signed in. */
export function Settings(): ReactElement {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <TipButton
        tip="Settings"
        aria-haspopup="dialog"
        onClick={(event) => {
          setAnchor(event.currentTarget);
        }}
      >
        <Settings2 size={18} />
      </TipButton>
      {anchor !== null && (
        <Suspense fallback={null}>
          <Panel
            anchor={anchor}
            onClose={() => {
              setAnchor(null);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
