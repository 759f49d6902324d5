import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { anchors, brokenLink, namedFiles, pageLinks } from './page-links.ts';
import { pages } from './pages.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Files that should not exist, and files that a guide asks the reader to create or that a command generates. */
const absent: ReadonlySet<string> = new Set([
  'types.ts',
  'utils.ts',
  'constants.ts',
  'colours.yaml',
  'kustomization.yaml',
  'values.schema.json',
  'website.yaml',
]);

const files: ReadonlySet<string> = new Set(
  globSync('{*,.ci/jest/*,{packages,examples,e2e}/**/*}.{ts,go,json,yaml,txt}', {
    cwd: root,
    exclude: (name) => name.includes('node_modules') || name === 'dist',
  }).map((path) => basename(path)),
);

describe('the links of the documentation', () => {
  test('README links to every page and guide', () => {
    const links = pageLinks(readFileSync(join(root, 'README.md'), 'utf8'));
    const linked = new Set(links.map(({ target }) => target.replace(/#.*/, '')));
    const documents = globSync('docs/{,guides/}*.md', { cwd: root });
    expect(documents.length).toBeGreaterThan(50);
    expect(documents.filter((page) => !linked.has(page))).toEqual([]);
  });

  test.each(pages(root))('%s: the target of every link exists', (page) => {
    const links = pageLinks(readFileSync(join(root, page), 'utf8'));
    const broken = links.flatMap((link) => {
      const why = brokenLink(root, page, link);
      return why === undefined ? [] : [`line ${link.line}: ${why}`];
    });
    expect(broken).toEqual([]);
  });
});

describe('the file names of the documentation', () => {
  test.each(pages(root))('%s: every file that a code span names exists', (page) => {
    const named = namedFiles(readFileSync(join(root, page), 'utf8'));
    expect(named.filter((name) => !files.has(name) && !absent.has(name))).toEqual([]);
  });

  test('namedFiles returns the base names, and ignores code blocks and text', () => {
    const page = 'a.ts, `b.ts`, `c/d.test.ts`, `src/e.json` and `f.name`\n```ts\n`g.ts`\n```';
    expect(namedFiles(page)).toEqual(['b.ts', 'd.test.ts', 'e.json']);
  });
});

describe('pageLinks', () => {
  test('finds links within the repository, also those of code names, and ignores code', () => {
    const page = [
      '[a](a.md) and [`b`](../b.md#c), [d](https://d.example)',
      '`list[0](x)`',
      '```ts',
      'list[0](x);',
      '```',
    ].join('\n');
    expect(pageLinks(page)).toEqual([
      { line: 1, target: 'a.md' },
      { line: 1, target: '../b.md#c' },
    ]);
  });
});

describe('brokenLink', () => {
  const why = (target: string): string | undefined =>
    brokenLink(root, 'docs/guides/testing.md', { line: 1, target });

  test('accepts a file, a folder and a heading that exist', () => {
    for (const target of ['first-operator.md', '../../packages/toolkit/apiserver', '#in-jest']) {
      expect(why(target)).toBeUndefined();
    }
  });

  test('reports a missing file and a missing heading', () => {
    expect(why('none.md')).toBe('none.md: there is no such file');
    expect(why('first-operator.md#none')).toBe(
      'first-operator.md#none: the page has no such heading',
    );
  });

  test('returns the anchors that GitHub creates for headings', () => {
    expect(anchors('# `A B`\n\n## 4. Test it, now')).toEqual(['a-b', '4-test-it-now']);
  });
});
