import { describe, expect, test } from '@jest/globals';
import { pagePath, siteLink } from './page-path.ts';
import { sitePages } from './sidebar.ts';

const pages = new Set(sitePages());

describe('pagePath', () => {
  test.each([
    ['README.md', 'index.md'],
    ['CHANGELOG.md', 'changelog.md'],
    ['docs/guides/testing.md', 'guides/testing.md'],
    ['docs/designs/README.md', 'designs/index.md'],
    ['packages/runtime/manager/README.md', 'packages/manager.md'],
    ['examples/README.md', 'examples/index.md'],
    ['examples/cronjob/README.md', 'examples/cronjob.md'],
  ])('%s is %s', (file, path) => {
    expect(pagePath(file, pages)).toBe(path);
  });

  test('gives each page a path of its own', () => {
    const paths = [...pages].map((page) => pagePath(page, pages));
    expect(new Set(paths).size).toBe(pages.size);
    expect(pagePath('e2e/checks/README.md', pages)).toBeUndefined();
  });
});

describe('siteLink', () => {
  const repository = 'https://example.com/blob/main';
  const link = (target: string): string =>
    siteLink(target, { page: 'docs/guides/testing.md', pages, repository });

  test('keeps pages, folders with a page and headings within the site', () => {
    expect(link('../errors.md#not_watched')).toBe('/errors.md#not_watched');
    expect(link('../../packages/runtime/manager')).toBe('/packages/manager.md');
    expect(link('../../examples/')).toBe('/examples/index.md');
    expect(link('#in-jest')).toBe('#in-jest');
  });

  test('sends other files to the repository, and keeps addresses', () => {
    expect(link('../../examples/testing')).toBe(`${repository}/examples/testing`);
    expect(link('../../turbo.json#L3')).toBe(`${repository}/turbo.json#L3`);
    expect(link('https://kubernetes.io/')).toBe('https://kubernetes.io/');
  });
});
