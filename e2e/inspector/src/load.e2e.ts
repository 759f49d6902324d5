import { describe, expect, test } from '@jest/globals';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumPath, openPage } from './browser.test-support.ts';
import { startLoad } from './load-operator.test-support.ts';

const executablePath = chromiumPath();
const inBrowser = executablePath === undefined ? describe.skip : describe;

/** The longest task of the thread that renders the page, in milliseconds of CPU. */
const MAX_TASK_MS = 50;
/** Changes of the plotted values that are measured. */
const CHANGES = 3;

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of CPU. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * Milliseconds of CPU of the longest task of the thread that renders. The time of a clock would include the other
 * processes of the machine.
 */
function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const main = traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  );
  const threads = new Set(main.map(threadOf));
  const tasks = traceEvents.filter(
    (event) => event.name.endsWith('RunTask') && event.ph === 'X' && threads.has(threadOf(event)),
  );
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

const untilChanges = `new Promise((resolve) => {
  let left = ${CHANGES};
  const observer = new MutationObserver(() => {
    left -= 1;
    if (left > 0) return;
    observer.disconnect();
    resolve();
  });
  observer.observe(document.querySelector('.plot'), { subtree: true, characterData: true });
})`;

inBrowser('the inspector under load in Chromium', () => {
  async function longestTaskOf(browser: Browser, page: Page): Promise<number> {
    const categories = ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'];
    await browser.startTracing(page, { categories });
    await page.evaluate(untilChanges);
    return longestTask(await browser.stopTracing());
  }

  test(`500 watches and 200 000 requests that change cause no task over ${MAX_TASK_MS} ms`, async () => {
    await using operator = await startLoad(500, 200_000);
    const browser = await chromium.launch({ executablePath: executablePath ?? '' });
    const { page, problems } = await openPage(browser, operator.url);
    await page.waitForSelector('text=1 to 50 of 500');
    const overview = await longestTaskOf(browser, page);
    await page.evaluate("location.hash = '#/controller/many'");
    await page.waitForSelector('th:has-text("r7")');
    const controller = await longestTaskOf(browser, page);
    await browser.close();
    // A trace without times of the CPU would have 0.
    expect(Math.min(overview, controller)).toBeGreaterThan(0);
    expect(Math.max(overview, controller)).toBeLessThan(MAX_TASK_MS);
    expect(problems).toEqual([]);
  });
});
