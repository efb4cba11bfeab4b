import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, it, vi } from 'vitest';
import type { GroupTitle } from '../src/keys/match';
import { ShortcutsProvider, useShortcutGroups, useShortcuts } from '../src/keys/ShortcutsProvider';

it('groups of shortcuts are listed in one order, whatever was mounted first', () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  let listed: () => { title: string }[] = () => [];
  function Part({ title }: { title: GroupTitle }): null {
    useShortcuts(title, [{ keys: 'x', does: 'something', run: () => undefined }]);
    listed = useShortcutGroups();
    return null;
  }
  const root = createRoot(document.createElement('div'));
  const titles: GroupTitle[] = ['Everywhere', 'Approvals', 'Conversation', 'Session'];
  act(() => {
    root.render(
      <ShortcutsProvider>
        {titles.map((title) => (
          <Part key={title} title={title} />
        ))}
      </ShortcutsProvider>,
    );
  });
  expect(listed().map(({ title }) => title)).toEqual(['Session', 'Conversation', 'Approvals', 'Everywhere']);
  act(() => {
    root.unmount();
  });
  vi.unstubAllGlobals();
});
