import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App';

/** Show the app. */
export function start(): void {
  const root = document.getElementById('root');
  if (root === null) throw new Error('the page has no root element');
  // In slices, not at one go: on a phone a press would wait for all of it.
  startTransition(() => {
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    );
  });
}
