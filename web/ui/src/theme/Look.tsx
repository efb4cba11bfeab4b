import createCache, { type StylisElement } from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { ThemeProvider, useColorScheme } from '@mui/material/styles';
import { useEffect, type ReactElement, type ReactNode } from 'react';
import { usePrefs } from '../prefs/prefs';
import { Baseline } from './Baseline';
import { nonce } from './nonce';
import { theme } from './theme';

/** The one property that still needs a prefix, in Safari. The library's own prefixer knows browsers long gone, at a tenth of the styles' time. */
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

/** The theme in the scheme that was chosen; the system's unless somebody did. */
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
