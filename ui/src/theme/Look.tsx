import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { ThemeProvider, useColorScheme } from '@mui/material/styles';
import { useEffect, type ReactElement, type ReactNode } from 'react';
import { usePrefs } from '../prefs/prefs';
import { Baseline } from './Baseline';
import { nonce } from './nonce';
import { theme } from './theme';

const styles = createCache({ key: 'css', nonce: nonce() });

function Chosen(): null {
  const { theme: choice } = usePrefs();
  const { setMode } = useColorScheme();
  useEffect(() => { setMode(choice); }, [choice, setMode]);
  return null;
}

/** The theme in the scheme that was chosen; the system's unless somebody did. */
export function Look({ children }: { children: ReactNode }): ReactElement {
  return (
    <CacheProvider value={styles}>
      <ThemeProvider theme={theme} defaultMode="system" modeStorageKey="tarsy.mode">
        <Baseline />
        <Chosen />
        {children}
      </ThemeProvider>
    </CacheProvider>
  );
}
