import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App';

/** Renders the app. */
export function start(): void {
  const root = document.getElementById('root');
  if (root === null) throw new Error('the page has no root element');
  // A transition renders in slices. Otherwise, a press on a phone would wait for the whole app.
  startTransition(() => {
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    );
  });
}
