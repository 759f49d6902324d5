import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';

/** The largest picture in the documentation. */
export const MAX_PICTURE_BYTES: number = 60 * 1024;

const folder = join(import.meta.dirname, '../../../docs/pictures');
/** The qualities of WebP that are tried, best first. Text is sharp at the last one too. */
const QUALITIES = [85, 75, 65, 55] as const;
/** Milliseconds until the plots have a few points. */
const PLOT_MS = 10_000;

/** The file of a picture in the documentation. */
export function pictureFile(name: string): string {
  return join(folder, `${name}.webp`);
}

/** Writes a picture of the page if `KEELSON_PICTURES` is set, because each run makes other times and other bytes. */
export async function takePicture(page: Page, name: string, height = 720): Promise<void> {
  if (process.env['KEELSON_PICTURES'] === undefined) return;
  await page.waitForTimeout(PLOT_MS);
  await page.setViewportSize({ width: 1100, height });
  await page.evaluate('document.activeElement.blur()');
  await page.waitForTimeout(1500);
  const file = pictureFile(name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await imageOf(page));
}

/** The best image that is small enough. */
async function imageOf(page: Page): Promise<Buffer> {
  // Playwright itself writes PNG and JPEG only.
  const session = await page.context().newCDPSession(page);
  let image = Buffer.alloc(0);
  for (const quality of QUALITIES) {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
    image = Buffer.from(data, 'base64');
    if (image.length <= MAX_PICTURE_BYTES) return image;
  }
  throw new Error(`the picture has ${image.length} bytes`);
}
