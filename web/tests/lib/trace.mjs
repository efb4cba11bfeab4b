// Work of the page's main thread, from Chromium's trace. It is measured in CPU time, which other work on the machine
// does not affect.

const CATEGORIES = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];
const ms = (micros) => micros / 1000;

/** Starts the trace. The returned function ends it and returns every task and frame, in milliseconds of CPU time. */
export async function traced(browser, page) {
  await browser.startTracing(page, { categories: CATEGORIES });
  return async () => figures(JSON.parse((await browser.stopTracing()).toString()).traceEvents);
}

/** Returns the tasks of the busiest renderer's main thread, and their total time between two frames. */
function figures(events) {
  const mains = events.filter((one) => one.name === 'thread_name' && one.args.name === 'CrRendererMain');
  const threads = mains.map(({ pid, tid }) => events.filter((one) => one.pid === pid && one.tid === tid));
  const frames = (thread) => thread.filter((one) => one.name === 'FireAnimationFrame');
  const main = threads.toSorted((a, b) => frames(b).length - frames(a).length)[0] ?? [];
  const tasks = main
    .filter((one) => one.ph === 'X' && one.name === 'RunTask' && one.tdur !== undefined)
    .toSorted((a, b) => a.ts - b.ts);
  const starts = frames(main)
    .map((one) => one.ts)
    .toSorted((a, b) => a - b);
  const perFrame = starts.map(() => 0);
  let frame = 0;
  for (const task of tasks) {
    while (frame + 1 < starts.length && task.ts >= starts[frame + 1]) frame += 1;
    if (frame < perFrame.length) perFrame[frame] += ms(task.tdur);
  }
  return { tasks: tasks.map((task) => ({ cpu: ms(task.tdur), wall: ms(task.dur) })), frames: perFrame };
}
