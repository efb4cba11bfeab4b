import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{ui,dashboard,alert-dev-ui}/test/**/*.test.{ts,tsx}'],
    environment: 'jsdom',
    pool: 'forks',
    // A page is made once, not for each file: that was nine tenths of the time. No test changes what others see.
    isolate: false,
    // Longest time of a test: 5 s, the default, may pass on a busy machine.
    testTimeout: 30_000,
    // Times must not depend on where the tests run.
    env: { TZ: 'America/St_Johns' },
  },
});
