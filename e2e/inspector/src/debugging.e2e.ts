import { readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chromium, type Browser } from 'playwright-core';
import { chromiumPath, openPage } from './browser.test-support.ts';
import { MAX_PICTURE_BYTES, pictureFile, takePicture } from './picture.test-support.ts';
import { SituationOperator, situations } from './situations.test-support.ts';

const executablePath = chromiumPath();
const inBrowser = executablePath === undefined ? describe.skip : describe;
const guide = readFileSync(new URL('../../../docs/guides/debugging.md', import.meta.url), 'utf8');

inBrowser('the situations of the guide to debugging, in Chromium', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '' });
  });

  afterAll(() => browser.close());

  test.each(situations)('the page shows what the picture $name shows', async (situation) => {
    await using operator = await SituationOperator.create();
    await situation.begin(operator);
    const { page, problems } = await openPage(browser, operator.url);
    await page.waitForSelector('.connection.live');
    await page.evaluate(`location.hash = ${JSON.stringify(situation.hash)}`);
    for (const [selector, text] of situation.shows) {
      await page.locator(selector).filter({ hasText: text }).first().waitFor();
    }
    await takePicture(page, `debugging-${situation.name}`, situation.height);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});

test('the guide has the picture of each situation in their order, and each is small', () => {
  const named = [...guide.matchAll(/\(\.\.\/pictures\/debugging-(\w+)\.webp\)/g)];
  expect(named.map(([, name]) => name)).toEqual(situations.map(({ name }) => name));
  for (const { name } of situations) {
    const { size } = statSync(pictureFile(`debugging-${name}`));
    expect(size).toBeLessThanOrEqual(MAX_PICTURE_BYTES);
  }
});
