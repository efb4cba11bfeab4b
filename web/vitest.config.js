import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{ui,dashboard,alert-dev-ui}/test/**/*.test.{ts,tsx}'],
    environment: 'jsdom',
    pool: 'forks',
    // A page is made once, not for each file: that was nine tenths of the time. No test changes what others see.
    isolate: false,
    // Times must not depend on where the tests run.
    env: { TZ: 'America/St_Johns' },
  },
});
