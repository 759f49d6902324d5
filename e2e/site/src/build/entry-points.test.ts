import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { chapters } from '../pages/sidebar.ts';
import { entryPointsOf } from './entry-points.ts';

const root = join(import.meta.dirname, '../../../..');

describe('entryPointsOf', () => {
  const packages = chapters.find(({ title }) => title === 'Packages')?.pages ?? [];
  const entryPoints = entryPointsOf(
    root,
    packages.map((page) => dirname(page)),
  );

  test('has the entry points of all packages, that of the manager first', () => {
    const names = entryPoints.map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(['@keelson/manager', '@keelson/manager/sources']);
    expect(names).toContain('create-keelson');
    expect(names).not.toContain('@keelson/cel/internal');
    const named = new Set(names.map((name) => name.split('/').slice(0, 2).join('/')));
    expect(named.size).toBe(packages.length);
  });

  test('names sources that exist', () => {
    expect(entryPoints.filter(({ file }) => !existsSync(file))).toEqual([]);
  });
});
