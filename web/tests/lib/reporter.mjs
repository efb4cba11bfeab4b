/**
 * A reporter of node:test for the summary of `cargo xtask test`: a line of JSON for each test, with its file, its name, how long it
 * took, and why it failed.
 */
export default async function* (events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { error, duration_ms: milliseconds } = data.details;
    // Its own tests are told.
    if (error?.failureType === 'subtestsFailed') continue;
    const failure = error && String(error.cause?.message ?? error.cause ?? error.message);
    yield `${JSON.stringify({ file: data.file, name: data.name, milliseconds, failure })}\n`;
  }
}
