import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { pageReady } from './app/lazyPages';

/** Longest wait for the page's code before the app renders, milliseconds. */
const PATIENCE_MS = 300;

/** Shows the app, with the linked page in it where its code comes in time. */
export async function start(): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) throw new Error('the page has no root element');
  await Promise.race([
    pageReady(location.pathname),
    new Promise((over) => {
      setTimeout(over, PATIENCE_MS);
    }),
  ]);
  // In slices, not at one go: on a phone a press would wait for all of it.
  startTransition(() => {
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    );
  });
}
