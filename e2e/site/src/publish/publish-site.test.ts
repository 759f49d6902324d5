import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { publishSite } from './publish-site.ts';

describe('publishSite', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'site-'));
    mkdirSync(join(folder, 'built'));
    writeFileSync(join(folder, 'built/index.html'), 'new');
    mkdirSync(join(folder, 'all/0.1'), { recursive: true });
    writeFileSync(join(folder, 'all/0.1/index.html'), 'first release');
    mkdirSync(join(folder, 'all/next'));
    writeFileSync(join(folder, 'all/next/former.html'), 'former');
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('replaces one version, keeps the others, and leads to the newest release', () => {
    const into = join(folder, 'all');
    publishSite({ site: join(folder, 'built'), folder: 'next', into });
    expect(existsSync(join(into, 'next/former.html'))).toBe(false);
    expect(readFileSync(join(into, 'next/index.html'), 'utf8')).toBe('new');
    expect(readFileSync(join(into, '0.1/index.html'), 'utf8')).toBe('first release');
    expect(readFileSync(join(into, 'index.html'), 'utf8')).toContain('url=0.1/');
    publishSite({ site: join(folder, 'built'), folder: '0.2', into });
    expect(readFileSync(join(into, 'index.html'), 'utf8')).toContain('url=0.2/');
    expect(readFileSync(join(into, 'versions.html'), 'utf8').match(/<li>/g)).toHaveLength(3);
  });
});
