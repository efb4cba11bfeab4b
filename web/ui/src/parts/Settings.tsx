import { Settings2 } from 'lucide-react';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { TipButton } from './TipButton';

// Lazy, because its form fields would add a fifth to the code of the shell.
const Panel = lazy(async () => import('./SettingsPanel'));

/** Button that opens the settings: theme, time zone, time style and sign-in. */
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
