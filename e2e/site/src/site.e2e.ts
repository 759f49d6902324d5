import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chromium, type Browser, type Page } from 'playwright-core';
import { buildSite } from './build/site.ts';
import { findDeadLinks, readBuiltSite, type BuiltPage } from './checks/built-page.ts';
import { openSearchIndex } from './checks/search-index.ts';
import { serveFolder, type StaticServer } from './checks/static-server.test-support.ts';
import { pagePath } from './pages/page-path.ts';
import { sitePages } from './pages/sidebar.ts';

const root = join(import.meta.dirname, '../../..');
const generator = join(root, 'e2e/site/generator');
const base = '/keelson/0.1/';
const MAX_PAGE_BYTES = 300_000;

/** Words that a user enters, and the page that must be among the first five results. */
const wanted: readonly (readonly [query: string, page: string])[] = [
  ['createManager', 'reference/@keelson/manager/functions/createManager.html'],
  ['patchStatus', 'guides/status-and-finalizers.html'],
  ['NOT_WATCHED', 'errors.html'],
  ['finalizer', 'guides/status-and-finalizers.html'],
  ['leader election', 'guides/high-availability.html'],
  ['defineKind', 'guides/define-a-kind.html'],
  ['workqueue_depth', 'metrics.html'],
  ['requeueAfter', 'guides/reconcile-results.html'],
  ['kopf', 'coming-from-kopf.html'],
  ['Deno', 'guides/runtimes.html'],
];

let site = '';
let pages: Map<string, BuiltPage>;
let search: (query: string) => string[];

beforeAll(async () => {
  const versions = 'https://example.com/keelson/versions.html';
  site = buildSite({ root, base, version: '0.1.0', versions, ref: 'main' });
  pages = readBuiltSite(site);
  search = await openSearchIndex(generator, site);
});

describe('the built site', () => {
  test('has every page of the sidebar, and links to each from the first page', () => {
    const all = new Set(sitePages());
    const paths = sitePages().map((page) => pagePath(page, all)?.replace(/\.md$/, '.html') ?? page);
    const links = new Set(pages.get('index.html')?.links);
    expect(paths.filter((path) => !pages.has(path))).toEqual([]);
    const missing = paths.filter(
      (path) => !links.has(base + path) && !links.has(base + path.replace(/index\.html$/, '')),
    );
    expect(missing).toEqual([]);
  });

  test('has a page for each exported name of the manager', () => {
    const list = readFileSync(join(root, 'e2e/checks/exports/manager.txt'), 'utf8');
    const paths = [...pages.keys()].filter((path) =>
      path.startsWith('reference/@keelson/manager/'),
    );
    const names = new Set(paths.map((path) => path.split('/').at(-1)?.replace('.html', '')));
    const exported = list
      .trim()
      .split('\n')
      .map((line) => line.replace(/^type /, ''));
    expect(exported.length).toBeGreaterThan(60);
    expect(exported.filter((name) => !names.has(name))).toEqual([]);
  });

  test('has no dead link and no dead anchor', () => {
    expect(findDeadLinks(pages, base)).toEqual([]);
  });

  test('links guides and reference both ways, and names to errors', () => {
    const links = (path: string): readonly string[] => pages.get(path)?.links ?? [];
    const reference = `${base}reference/@keelson/manager/functions/createManager.html`;
    const guides = [...pages.keys()].filter((path) => path.startsWith('guides/'));
    const linking = guides.filter((path) =>
      links(path).some((one) => one.includes('/reference/@')),
    );
    expect(guides.length - linking.length).toBeLessThan(5);
    expect(links('errors.html')).toContain(reference);
    const back = links('reference/@keelson/manager/functions/createManager.html');
    expect(back.filter((link) => link.startsWith(`${base}guides/`))).not.toEqual([]);
    expect(back).toContainEqual(expect.stringContaining(`${base}errors.html#invalid_option`));
  });

  test(`has no page of more than ${MAX_PAGE_BYTES} bytes`, () => {
    const large = [...pages.values()].filter(({ bytes }) => bytes > MAX_PAGE_BYTES);
    expect(large.map(({ path, bytes }) => `${path}: ${bytes}`)).toEqual([]);
  });

  test('loads nothing from elsewhere', () => {
    const foreign = [...pages.values()].flatMap(({ path, resources }) =>
      resources
        .filter((one) => !one.startsWith(base) && !one.startsWith('data:'))
        .map((one) => `${path}: ${one}`),
    );
    expect(foreign).toEqual([]);
  });

  test.each(wanted)('the search finds %s', (query, page) => {
    const found = search(query)
      .slice(0, 5)
      .map((id) => id.replace(/#.*/, ''));
    expect(found).toContain(base + page);
  });
});

/** The path of a Chromium of the machine: CHROMIUM, or one on PATH. */
function chromiumPath(): string | undefined {
  const names = ['chromium', 'google-chrome', 'chromium-browser'];
  const given = process.env['CHROMIUM'];
  if (given !== undefined) return given;
  const found = names.map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim());
  return found.find((path) => path !== '');
}

const executablePath = chromiumPath();
const inBrowser = executablePath === undefined ? describe.skip : describe;
if (executablePath === undefined) {
  console.warn('SKIPPED: the tests in a browser: neither CHROMIUM nor a Chromium on PATH');
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

inBrowser('the site in Chromium', () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const shown = [
    'index.html',
    'guides/first-operator.html',
    'coming-from-controller-runtime.html',
    'errors.html',
    'metrics.html',
    'reference/@keelson/manager/index.html',
    'reference/@keelson/manager/interfaces/ControllerOptions.html',
  ];
  // Each colour scheme and each width once: colours do not depend on the width.
  const looks = [
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 360 },
  ] as const;
  let browser: Browser;
  let server: StaticServer;

  beforeAll(async () => {
    server = await serveFolder(site, base);
    browser = await chromium.launch({ executablePath: executablePath ?? '' });
  });

  afterAll(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
  });

  /** Opens a page and returns what it tried to load from elsewhere or could not load, and its errors. */
  async function open(page: Page, path: string): Promise<string[]> {
    const problems: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(server.origin)) problems.push(`loads ${request.url()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) problems.push(`${response.status()} for ${response.url()}`);
    });
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${server.origin}${base}${path}`, { waitUntil: 'load' });
    return problems;
  }

  /** Opens the search box. The page listens to the keys once its program has mounted, after it has loaded. */
  async function openSearch(page: Page): Promise<void> {
    await page.waitForFunction('document.querySelector("#app")?.__vue_app__ !== undefined');
    await page.keyboard.press('Control+k');
  }

  test.each(looks)('passes axe in $colorScheme at $width pixels', async (look) => {
    const { colorScheme, width } = look;
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
    const problems: string[] = [];
    for (const path of shown) {
      const page = await context.newPage();
      problems.push(...(await open(page, path)).map((problem) => `${path}: ${problem}`));
      await page.evaluate(axe);
      const violations = await page.evaluate<Violation[]>(
        'axe.run().then(({ violations }) => violations)',
      );
      const texts = violations.flatMap(({ id, nodes }) =>
        nodes.map((node) => `${path}: ${id}: ${node.html.slice(0, 200)}: ${node.failureSummary}`),
      );
      problems.push(...texts);
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      if (Number(wide) > 0) problems.push(`${path}: ${String(wide)} pixels wider than the window`);
      await page.close();
    }
    await context.close();
    expect(problems).toEqual([]);
  });

  test('the search box finds ten things without any other server', async () => {
    const page = await browser.newPage();
    const problems = await open(page, 'index.html');
    await openSearch(page);
    const missing: string[] = [];
    for (const [query, target] of wanted) {
      await page.fill('.VPLocalSearchBox .search-input', query);
      const result = `.VPLocalSearchBox .result[href^="${base}${target}"]`;
      await page.waitForSelector(result, { timeout: 10_000 }).catch(() => missing.push(query));
    }
    await page.close();
    expect({ missing, problems }).toEqual({ missing: [], problems: [] });
  });

  test('a result of the search leads to its heading', async () => {
    const page = await browser.newPage();
    await open(page, 'guides/testing.html');
    await openSearch(page);
    await page.fill('.VPLocalSearchBox .search-input', 'NOT_WATCHED');
    await page.click(`.VPLocalSearchBox .result[href^="${base}errors.html"]`);
    await page.waitForURL(/errors\.html#not_watched$/);
    const text = await page.textContent('#not_watched');
    await page.close();
    expect(text).toContain('NOT_WATCHED');
  });
});
