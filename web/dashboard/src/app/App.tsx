import { answerShown, APP, LiveProvider, Look, sessionQuery } from '@tarsy/ui';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { BrowserRouter, Navigate, Route, Routes } from 'react-router-dom';
import { EmptyState } from '@tarsy/ui';
import { ShortcutsProvider } from '../keys/ShortcutsProvider';
import { sessionOf } from './address';
import { HiddenTitle } from './HiddenTitle';
import * as parts from './lazyPages';
import { worthRetrying } from './retry';
import { Shell } from './Shell';

const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: worthRetrying, staleTime: 5000, refetchOnWindowFocus: true, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

/** Fetches a linked session before its page is mounted. */
function readEarly(): void {
  const id = sessionOf(location.pathname);
  if (id !== null) queries.query(sessionQuery(queries, id, answerShown)).catch(() => undefined);
}
readEarly();

/**
 * The pages by their paths. Uses plain routes: the library's router with loaders would be a tenth of the first load,
 * and no page here loads by routes.
 */
function Pages(): ReactElement {
  return (
    <Routes>
      <Route path="/" element={<Shell />}>
        <Route index element={<Navigate to="/inbox" replace />} />
        <Route path="inbox" element={<parts.inbox.Part />} />
        <Route path="sessions" element={<parts.sessions.Part />} />
        <Route path="sessions/:id" element={<parts.session.Part />} />
        <Route path="approvals" element={<parts.approvals.Part />} />
        <Route path="ask/:id?" element={<parts.ask.Part />} />
        <Route path="fleet" element={<parts.fleet.Part />} />
        <Route path="usage" element={<parts.usage.Part />} />
        <Route path="quality" element={<parts.quality.Part />} />
        <Route path="config" element={<parts.config.Part />} />
        <Route path="submit" element={<parts.submit.Part />} />
        <Route path="keys" element={<parts.keys.Part />} />
        <Route path="setup" element={<parts.setup.Part />} />
        <Route
          path="*"
          element={
            <>
              <HiddenTitle title="Page not found" />
              <EmptyState title="Page not found">Use the navigation above or press Ctrl+K.</EmptyState>
            </>
          }
        />
      </Route>
    </Routes>
  );
}

/** The dashboard. */
export function App(): ReactElement {
  return (
    <Look>
      <QueryClientProvider client={queries}>
        <LiveProvider>
          <ShortcutsProvider>
            <BrowserRouter basename={APP.replace(/\/$/, '')}>
              <Pages />
            </BrowserRouter>
          </ShortcutsProvider>
        </LiveProvider>
      </QueryClientProvider>
    </Look>
  );
}
