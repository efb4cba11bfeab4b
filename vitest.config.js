import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{ui,dashboard,alert-dev-ui}/test/**/*.test.{ts,tsx}'],
    environment: 'jsdom',
    // Times must not depend on where the tests run.
    env: { TZ: 'America/St_Johns' },
  },
});
