import createCache, { type StylisElement } from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { ThemeProvider, useColorScheme } from '@mui/material/styles';
import { useEffect, type ReactElement, type ReactNode } from 'react';
import { usePrefs } from '../prefs/prefs';
import { Baseline } from './Baseline';
import { nonce } from './nonce';
import { theme } from './theme';

/**
 * Prefixes the one property that still needs it, in Safari. The library's own prefixer supports obsolete browsers, and
 * takes a tenth of the time that styles take.
 */
function prefixed(element: StylisElement): void {
  if (element.type === 'decl' && element.props === 'user-select')
    element.return = `-webkit-${element.value}${element.value}`;
}

const styles = createCache({ key: 'css', nonce: nonce(), stylisPlugins: [prefixed] });

function Chosen(): null {
  const { theme: choice } = usePrefs();
  const { setMode } = useColorScheme();
  useEffect(() => {
    setMode(choice);
  }, [choice, setMode]);
  return null;
}

/** Provides the theme in the colour scheme that the user chose; by default in the system's. */
export function Look({ children }: { children: ReactNode }): ReactElement {
  return (
    <CacheProvider value={styles}>
      <ThemeProvider theme={theme} defaultMode="system" modeStorageKey="tarsy.mode" noSsr>
        <Baseline />
        <Chosen />
        {children}
      </ThemeProvider>
    </CacheProvider>
  );
}
