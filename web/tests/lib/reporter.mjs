/**
 * Reporter of node:test for the summary of `cargo xtask test`. It prints a line of JSON for each test, with its file,
 * name, duration and reason of failure.
 */
export default async function* (events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { error, duration_ms: milliseconds } = data.details;
    // Skip it, because the failed subtests are reported themselves.
    if (error?.failureType === 'subtestsFailed') continue;
    const failure = error && String(error.cause?.message ?? error.cause ?? error.message);
    yield `${JSON.stringify({ file: data.file, name: data.name, milliseconds, failure })}\n`;
  }
}
