/** Entry point. The app is a file of its own: what it shares with its lazy parts must not depend on the entry. */
void import('./start').then(({ start }) => {
  start();
});
