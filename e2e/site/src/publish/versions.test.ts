import { describe, expect, test } from '@jest/globals';
import { printRedirect, printVersions, sortVersions, versionFolder } from './versions.ts';

describe('versionFolder', () => {
  test.each([
    ['0.2.0', '0.2'],
    ['1.10.3', '1.10'],
    ['0.3.0-beta.1', 'next'],
    ['next', 'next'],
  ])('%s is published in %s', (version, folder) => {
    expect(versionFolder(version)).toBe(folder);
  });
});

describe('sortVersions', () => {
  test('has the newest release first and next last, and leaves out other folders', () => {
    const folders = ['next', '0.9', '.git', '0.10', '1.0', 'index.html'];
    expect(sortVersions(folders)).toEqual(['1.0', '0.10', '0.9', 'next']);
  });
});

describe('the pages above the versions', () => {
  test('lead to the newest release, and to next before the first one', () => {
    expect(printRedirect(['0.2', '0.1', 'next'])).toContain('content="0; url=0.2/"');
    expect(printRedirect(['next'])).toContain('content="0; url=next/"');
  });

  test('list every version', () => {
    const html = printVersions(['0.2', 'next']);
    expect(html.match(/<li>.*<\/li>/g)).toEqual([
      '<li><a href="0.2/">0.2</a></li>',
      '<li><a href="next/">next</a></li>',
    ]);
  });
});
