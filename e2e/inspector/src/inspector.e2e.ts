import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumPath, openPage, violationsOf } from './browser.test-support.ts';
import { takePicture } from './picture.test-support.ts';
import { canary, hostile, ShopOperator } from './shop-operator.test-support.ts';

const executablePath = chromiumPath();
const inBrowser = executablePath === undefined ? describe.skip : describe;
if (executablePath === undefined) {
  console.warn('SKIPPED: the inspector in a browser: neither CHROMIUM nor a Chromium on PATH');
}

inBrowser('the inspector in Chromium', () => {
  let browser: Browser;
  let operator: ShopOperator;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '' });
    operator = await ShopOperator.start();
    for (const name of ['books', 'flowers', 'tea']) await operator.write(name, '1');
    await operator.write('broken-clock', '1');
  });

  afterAll(async () => {
    await browser.close();
    await operator[Symbol.asyncDispose]();
  });

  /** The plots of a picture need changes. */
  async function picture(page: Page, name: string): Promise<void> {
    let turn = 0;
    const timer = setInterval(() => void operator.write('tea', String((turn += 1))), 200);
    await takePicture(page, name);
    clearInterval(timer);
  }

  test('shows controllers and watches, and changes within a second', async () => {
    const { page, problems } = await openPage(browser, operator.url);
    await page.waitForSelector('.connection.live');
    await page.waitForSelector('a[href="#/controller/shop"]');
    expect(new URL(page.url()).hash).toBe('#/');
    const errors = page.locator('tr:has(a[href="#/controller/shop"]) td:nth-of-type(6)');
    await errors.filter({ hasText: /^1/ }).waitFor();
    await operator.write('broken-pen', '1');
    await errors.filter({ hasText: /^2/ }).waitFor();
    expect(await page.locator('table').nth(1).textContent()).toContain('v1/secrets');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('leads from a controller to a request, its object, its child and its events', async () => {
    const { page, problems } = await openPage(browser, operator.url);
    await page.click('a[href="#/controller/shop"]');
    await page.click('a[href="#/request/shop/default%2Fbooks"]');
    await page.waitForSelector('text=Secret default/books');
    await page.waitForSelector('th:has-text("Opened")');
    expect(await page.textContent('pre')).toContain('"name": "books"');
    expect(await page.textContent('.timeline')).toMatch(/apply|patch/);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.keyboard.press('Escape');
    await page.waitForSelector('h1:has-text("Overview")');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('opens a deep link, and filters on the server', async () => {
    const { page, problems } = await openPage(browser, operator.url);
    await page.waitForSelector('.connection.live');
    await page.goto(`${page.url().replace(/#.*/, '')}#/controller/shop`);
    await page.waitForSelector('th:has-text("default/tea")');
    await page.keyboard.press('/');
    await page.keyboard.type('flow');
    await page.waitForSelector('text=the latest of 1');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('shows the events of a watch as they arrive, and no values of Secrets anywhere', async () => {
    const { page, problems } = await openPage(browser, operator.url);
    await page.click('a:has-text("v1/configmaps")');
    await page.waitForSelector('th:has-text("inspector")');
    await operator.write('tea', '2');
    await page.waitForSelector('th:has-text("default/tea")');
    await page.goto(`${page.url().replace(/#.*/, '')}#/request/secrets/default%2Fbooks`);
    await page.waitForSelector('pre:has-text("redacted")');
    const text = await page.content();
    expect(text).not.toContain(canary);
    expect(text).not.toContain(Buffer.from(canary).toString('base64'));
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('pauses and continues by button and key', async () => {
    const { page, problems } = await openPage(browser, operator.url);
    await page.waitForSelector('.connection.live');
    await page.click('button:has-text("Pause")');
    await page.waitForSelector('.connection.paused');
    expect(await page.getAttribute('button:has-text("Pause")', 'aria-pressed')).toBe('true');
    await page.click('h1');
    await page.keyboard.press('p');
    await page.waitForSelector('.connection.live');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('asks for the token, and refuses a wrong one', async () => {
    const [address = '', token = ''] = operator.url.split('#token=');
    const { page } = await openPage(browser, address);
    await page.waitForSelector('.connection.unauthorized');
    await page.fill('input[type=password]', 'wrong');
    await page.click('button:has-text("Connect")');
    await page.waitForSelector('.connection.unauthorized');
    await page.fill('input[type=password]', token);
    await page.click('button:has-text("Connect")');
    await page.waitForSelector('.connection.live');
    await page.context().close();
  });

  test('runs, pauses and resumes by actions, each of which is logged and an Event', async () => {
    const { page, problems } = await openPage(browser, operator.url);
    await page.click('a[href="#/controller/shop"]');
    await page.click('button:has-text("Pause controller")');
    await page.waitForSelector('.badge:has-text("paused")');
    await page.click('button:has-text("Resume controller")');
    await page.waitForSelector('.badge:has-text("running")');
    await page.click('a[href="#/request/shop/default%2Ftea"]');
    await page.click('button:has-text("Run now")');
    await page.waitForSelector('output:has-text("Run: done")');
    await page.waitForSelector('.timeline li:has-text("controller: manual")');
    await page.click('button:has-text("Pause request")');
    await page.waitForSelector('li:has-text("(paused)")');
    await page.click('button:has-text("Resume request")');
    await page.waitForSelector('button:has-text("Pause request")');
    await page.waitForSelector('td:has-text("Resume default/tea of shop, by the inspector")');
    const logged = operator.lines.filter((line) => line.includes('action of the inspector'));
    expect(logged).toHaveLength(5);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('marks the events of a paused request that later ones superseded', async () => {
    const { page, problems } = await openPage(browser, operator.url);
    await page.click('a[href="#/controller/shop"]');
    await page.click('a[href="#/request/shop/default%2Fflowers"]');
    await page.click('button:has-text("Pause request")');
    await page.waitForSelector('button:has-text("Resume request")');
    for (const value of ['2', '3']) await operator.write('flowers', value);
    // A worker takes the request, and the pause keeps it.
    const superseded = page.locator('.timeline li', {
      has: page.locator('.badge:text("superseded")'),
    });
    await superseded
      .filter({ hasText: 'superseded by a later event before a run began' })
      .waitFor();
    await page.click('button:has-text("Resume request")');
    // Times of the same day are as short as those at the begin of the lines.
    await superseded.filter({ hasText: /before the run at \d\d:\d\d:\d\d\.\d{3}$/ }).waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('hostile names and errors stay text', async () => {
    const { page, problems } = await openPage(browser, operator.url);
    await page.click('a[href="#/controller/hostile"]');
    for (const text of hostile) {
      const link = page.locator(`a[href="#/request/hostile/${encodeURIComponent(text)}"]`).first();
      await link.click();
      await page.waitForSelector('.timeline .failure');
      expect(await page.textContent('h1')).toBe(`Request ${text}`);
      await page.goBack();
      await page.waitForSelector('h1:has-text("Controller hostile")');
    }
    await page.goto(`${page.url().replace(/#.*/, '')}#/request/shop/default%2Fbooks`);
    await page.waitForSelector('td:has-text("onerror")');
    expect(await page.evaluate('globalThis.isHostile')).toBeUndefined();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test.each([
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 360 },
  ] as const)('passes axe in $colorScheme at $width pixels', async ({ colorScheme, width }) => {
    const viewport = { width, height: 800 };
    const { page, problems } = await openPage(browser, operator.url, { colorScheme, viewport });
    await page.waitForSelector('.connection.live');
    const watch = await page.getAttribute('a:has-text("v1/configmaps")', 'href');
    const places = {
      overview: '#/',
      controller: '#/controller/shop',
      request: '#/request/shop/default%2Fbroken-clock',
      watch: watch ?? '',
    };
    for (const [name, hash] of Object.entries(places)) {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await page.waitForSelector(name === 'request' ? '.timeline .failure' : 'tbody tr');
      problems.push(...(await violationsOf(page)).map((text) => `${name}: ${text}`));
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      if (Number(wide) > 0) problems.push(`${name}: ${String(wide)} pixels wider than the window`);
      if (width === 1280) await picture(page, `inspector-${name}`);
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
