import { describe, expect, test } from '@jest/globals';
import { linkNames } from './link-names.ts';
import { isDistinctiveName, referencePage, referenceTargets } from './reference-names.ts';

const targets = new Map([
  ['createManager', '/reference/m/functions/createManager.md'],
  ['Client', '/reference/m/interfaces/Client.md'],
  ['list', '/reference/m/functions/list.md'],
  ['NOT_WATCHED', '/errors.md#not_watched'],
]);
const link = (page: string, skipFirstCells = false): string =>
  linkNames(page, { targets, self: '/errors.md', skipFirstCells });

describe('linkNames', () => {
  test('links the first code span of a name', () => {
    expect(link('`createManager` and `createManager`, `NOT_WATCHED`')).toBe(
      '[`createManager`](/reference/m/functions/createManager.md) and `createManager`, ' +
        '[`NOT_WATCHED`](/errors.md#not_watched)',
    );
  });

  test('links a word in lower case only if it is a call', () => {
    expect(link('`list` and `list()`')).toBe(
      '`list` and [`list()`](/reference/m/functions/list.md)',
    );
  });

  test('leaves headings, code blocks, links and unknown names', () => {
    const page = '# `Client`\n```ts\n`Client`\n```\n[`Client`\nof a\ncluster](x.md) `unknownName`';
    expect(link(page)).toBe(page);
  });

  test('leaves the first cells of tables that compare with another project', () => {
    expect(link('| `Client` | `Client` |', true)).toBe(
      '| `Client` | [`Client`](/reference/m/interfaces/Client.md) |',
    );
  });
});

describe('the pages of the reference', () => {
  test('a name of two entry points and two kinds links to the function of the earlier entry point', () => {
    const files = ['b/functions/x.md', 'a/interfaces/x.md', 'a/functions/x.md', 'a/index.md'];
    const pages = files.flatMap((file) => referencePage(file) ?? []);
    expect(pages).toHaveLength(3);
    expect(referenceTargets(pages, ['a', 'b']).get('x')).toBe('/reference/a/functions/x.md');
  });

  test.each(['createManager', 'Client', 'WatchOptions'])('%s means the export', (name) => {
    expect(isDistinctiveName(name)).toBe(true);
  });

  test.each(['list', 'Pod', 'a'])('%s may be something else', (name) => {
    expect(isDistinctiveName(name)).toBe(false);
  });
});
