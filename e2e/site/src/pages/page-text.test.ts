import { describe, expect, test } from '@jest/globals';
import {
  headingAnchor,
  mapText,
  pageLines,
  pageSections,
  withoutSkippedLevels,
} from './page-text.ts';

describe('pageSections', () => {
  test('divides a page at its headings, and keeps code apart from text', () => {
    const page = '# A `page`\nintro\n## One [link](x.md)\ntext\n```sh\n# a comment\n```\nmore';
    expect(pageSections(page)).toEqual([
      { level: 1, title: 'A page', anchor: 'a-page', text: 'intro', code: '' },
      {
        level: 2,
        title: 'One link',
        anchor: 'one-link',
        text: 'text\nmore',
        code: '```sh\n# a comment\n```',
      },
    ]);
  });

  test('numbers repeated anchors as GitHub does', () => {
    const anchors = pageSections('# A\n## B\n## B\n## B').map(({ anchor }) => anchor);
    expect(anchors).toEqual(['a', 'b', 'b-1', 'b-2']);
  });

  test('keeps the underscores of codes', () => {
    expect(headingAnchor('`NOT_WATCHED`')).toBe('not_watched');
  });
});

describe('pageLines', () => {
  test('a longer fence contains shorter ones', () => {
    const code = pageLines('````md\n```ts\n```\n````\ntext').map(({ isCode }) => isCode);
    expect(code).toEqual([true, true, true, true, false]);
  });
});

describe('mapText', () => {
  test('changes text over several lines, and no code', () => {
    const page = 'a\nb\n```\na\nb\n```\na\nb';
    expect(mapText(page, (text) => text.replaceAll('a\nb', 'x'))).toBe('x\n```\na\nb\n```\nx');
  });
});

describe('withoutSkippedLevels', () => {
  test('raises a heading that skips a level', () => {
    const page = '# A\n#### B\n```sh\n#### comment\n```\n## C\n### D';
    expect(withoutSkippedLevels(page)).toBe('# A\n## B\n```sh\n#### comment\n```\n## C\n### D');
  });
});
