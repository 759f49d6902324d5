import { describe, expect, test } from '@jest/globals';
import { findDeadLinks, parseBuiltPage } from './built-page.ts';

const html = [
  '<html><head><link rel="stylesheet" href="/k/style.css"></head><body>',
  '<h1 id="top">A</h1><a class="x" href="/k/b.html#two">b</a><a href="#top">top</a>',
  '<img src="https://example.com/a.png"></body></html>',
].join('');

describe('parseBuiltPage', () => {
  test('reads anchors, links and resources', () => {
    expect(parseBuiltPage('a.html', html)).toEqual({
      path: 'a.html',
      bytes: html.length,
      anchors: new Set(['top']),
      links: ['/k/b.html#two', '#top'],
      resources: ['/k/style.css', 'https://example.com/a.png'],
    });
  });
});

describe('findDeadLinks', () => {
  const deadLinks = (target: string): string[] => {
    const pages = [
      parseBuiltPage('a.html', html),
      parseBuiltPage('b.html', `<a href="${target}"></a><p id="two"></p>`),
      parseBuiltPage('c/index.html', '<p id="x&amp;y"></p>'),
    ];
    return findDeadLinks(new Map(pages.map((page) => [page.path, page])), '/k/');
  };

  test.each(['/k/a.html', 'a.html#top', '/k/c/', '/k/c/#x%26y', 'https://example.com/none'])(
    'accepts %s',
    (target) => {
      expect(deadLinks(target)).toEqual([]);
    },
  );

  test.each([
    ['/k/none.html', 'there is no such page'],
    ['a.html#none', 'there is no such anchor'],
    ['/a.html', 'is outside of the site'],
  ])('reports %s', (target, problem) => {
    expect(deadLinks(target)).toEqual([`b.html: ${target}: ${problem}`]);
  });
});
