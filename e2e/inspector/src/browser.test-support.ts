import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** The path of a Chromium of the machine: CHROMIUM, or one on PATH. */
export function chromiumPath(): string | undefined {
  const names = ['chromium', 'google-chrome', 'chromium-browser'];
  const given = process.env['CHROMIUM'];
  if (given !== undefined) return given;
  const found = names.map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim());
  return found.find((path) => path !== '');
}

/** A page of a browser, and what went wrong in it: errors, failed requests, and requests to other servers. */
export interface OpenPage {
  readonly page: Page;
  readonly problems: string[];
}

/** Opens an address in a context of its own. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  const { origin } = new URL(url);
  page.on('request', (request) => {
    const target = request.url();
    if (!target.startsWith(origin) && !target.startsWith('data:')) problems.push(`loads ${target}`);
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('dialog', (dialog) => problems.push(`dialog ${dialog.message()}`));
  await page.goto(url, { waitUntil: 'load' });
  return { page, problems };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** The violations that axe finds, as texts. */
export async function violationsOf(page: Page): Promise<string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(axe);
  const violations = await page.evaluate<Violation[]>(
    'axe.run().then(({ violations }) => violations)',
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 200)}: ${node.failureSummary}`),
  );
}
