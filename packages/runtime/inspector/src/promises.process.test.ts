import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { inspectorPage } from '@keelson/inspector';

const MAX_BYTES = 80 * 1024;

async function htmlOf(): Promise<string> {
  return gunzipSync((await inspectorPage()).zipped).toString();
}

test('The page is one response of at most 80 KB zipped, and loads nothing from elsewhere.', async () => {
  const { zipped } = await inspectorPage();
  expect(zipped.length).toBeLessThan(MAX_BYTES);
  const html = await htmlOf();
  expect(html).toMatch(/^<!doctype html>/);
  expect(html).not.toMatch(/<script[^>]+src=|<link(?![^>]+href="data:,")|@import|url\(/);
});

test('Its policy permits its own script and style only, by their hashes.', async () => {
  const { policy } = await inspectorPage();
  const html = await htmlOf();
  const directives = new Map(
    policy.split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ');
      return [name, values] as const;
    }),
  );
  for (const [directive, element] of [
    ['script-src', 'script'],
    ['style-src', 'style'],
  ] as const) {
    const texts = [...html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))];
    const hashes = texts.map(
      ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    );
    expect(hashes).toHaveLength(1);
    expect(directives.get(directive)).toEqual(hashes);
  }
  expect(directives.get('default-src')).toEqual(["'none'"]);
  expect(directives.get('connect-src')).toEqual(["'self'"]);
});
