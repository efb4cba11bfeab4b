/** Entry point. The app is a separate file: code that it shares with its lazy parts must not depend on the entry. */
void import('./start').then(({ start }) => {
  start();
});
