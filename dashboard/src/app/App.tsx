import { ApiError, LiveProvider, Look, sessionQuery } from '@tarsy/ui';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { createBrowserRouter, Navigate, RouterProvider } from 'react-router-dom';
import { EmptyState } from '@tarsy/ui';
import { ShortcutsProvider } from '../keys/ShortcutsProvider';
import { sessionOf } from './address';
import * as parts from './lazyPages';
import { Shell } from './Shell';


/** Whether a retry may help. */
function worthRetrying(times: number, error: unknown): boolean {
  if (error instanceof ApiError && !['unreachable', 'timeout', 'overloaded', 'server'].includes(error.kind)) return false;
  return times < 2;
}

const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: worthRetrying, staleTime: 5000, refetchOnWindowFocus: true, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

/** Fetches a linked session before its page is mounted. */
function readEarly(): void {
  const id = sessionOf(location.pathname);
  if (id !== null) queries.query(sessionQuery(queries, id)).catch(() => undefined);
}
readEarly();

const router = createBrowserRouter(
  [
    {
      path: '/', element: <Shell />, children: [
        { index: true, element: <Navigate to="/sessions" replace /> },
        { path: 'sessions', element: <parts.sessions.Part /> },
        { path: 'sessions/:id', element: <parts.session.Part /> },
        { path: 'approvals', element: <parts.approvals.Part /> },
        { path: 'fleet', element: <parts.fleet.Part /> },
        { path: 'usage', element: <parts.usage.Part /> },
        { path: 'config', element: <parts.config.Part /> },
        { path: 'submit', element: <parts.submit.Part /> },
        { path: 'keys', element: <parts.keys.Part /> },
        { path: '*', element: <EmptyState title="Page not found">Use the navigation above or press Ctrl+K.</EmptyState> },
      ],
    },
  ],
  { basename: import.meta.env.BASE_URL.replace(/\/$/, '') },
);

/** The dashboard. */
export function App(): ReactElement {
  return (
    <Look>
      <QueryClientProvider client={queries}>
        <LiveProvider>
          <ShortcutsProvider><RouterProvider router={router} /></ShortcutsProvider>
        </LiveProvider>
      </QueryClientProvider>
    </Look>
  );
}
