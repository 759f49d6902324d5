import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { namedLinks, undefinedName } from './named-links.ts';
import { pages } from './pages.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

function linksOf(page: string): ReturnType<typeof namedLinks> {
  return namedLinks(readFileSync(join(root, page), 'utf8'));
}

function sectionOf(page: string, heading: string): string {
  const text = readFileSync(join(root, page), 'utf8');
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  return section.split('\n## ')[0] ?? '';
}

describe('the links from names to source files', () => {
  test.each(pages(root))('%s: every file defines the name of its link', (page) => {
    const problems = linksOf(page).map((link) => undefinedName(root, page, link));
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });

  test('the glossary has at most 50 words, each once and with the file that defines it', () => {
    const rows = readFileSync(join(root, 'docs/glossary.md'), 'utf8').match(/^\| .*$/gm) ?? [];
    const words = rows.map((row) => row.split('|')[1]?.trim()).filter((word) => word !== 'word');
    expect(words.length).toBeLessThanOrEqual(50);
    expect(new Set(words).size).toBe(words.length);
    expect(linksOf('docs/glossary.md')).toHaveLength(words.length);
  });

  test('each of the twelve steps of a watch event links to its file', () => {
    const path = sectionOf('docs/architecture.md', 'The path of one watch event');
    const steps = path.match(/^\| \d+ \|.*$/gm) ?? [];
    expect(steps).toHaveLength(12);
    expect(steps.filter((step) => namedLinks(step).length === 0)).toEqual([]);
  });

  test('docs/architecture.md links to the eight files that newcomers should read', () => {
    const files = sectionOf('docs/architecture.md', 'Read these eight files in this order');
    expect(namedLinks(files)).toHaveLength(8);
  });
});

describe('undefinedName', () => {
  test('reports the line of the link and the file that does not export the name', () => {
    const page = 'text\n[`Nothing`](../packages/runtime/informer/src/store/store.ts)';
    const [link] = namedLinks(page);
    expect(link && undefinedName(root, 'docs/architecture.md', link)).toBe(
      'line 2: ../packages/runtime/informer/src/store/store.ts does not export Nothing',
    );
  });
});
