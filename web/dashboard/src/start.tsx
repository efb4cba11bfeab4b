import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { pageReady } from './app/lazyPages';

/** Maximum wait for the page's code before the app renders, in milliseconds. */
const PATIENCE_MS = 300;

/** Renders the app, together with the linked page if its code arrives in time. */
export async function start(): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) throw new Error('the page has no root element');
  await Promise.race([
    pageReady(location.pathname),
    new Promise((over) => {
      setTimeout(over, PATIENCE_MS);
    }),
  ]);
  // A transition renders in slices. Otherwise, a press on a phone would wait for the whole app.
  startTransition(() => {
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    );
  });
}
