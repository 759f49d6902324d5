import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

import { root } from '../sources/source-file.ts';

/** The committed size of the built JavaScript of each package, in KiB by the name of its folder. */
export type BundleSizes = Readonly<Record<string, number>>;

export const sizesFile = 'e2e/checks/data/bundle-sizes.json';

/** The share by which a package may outgrow its committed size. */
const TOLERANCE = 0.05;

export function readBundleSizes(): BundleSizes {
  return JSON.parse(readFileSync(join(root, sizesFile), 'utf8')) as BundleSizes;
}

/** The size of the JavaScript in `dist` of a package, in KiB, without source maps and data. */
export function measureBundles(folder: string): number {
  const files = globSync('dist/**/*.js', { cwd: folder });
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  return Math.ceil(bytes / 1024);
}

/** Complains about a package that outgrew its committed size, or that has none. Returns an empty string otherwise. */
export function sizeComplaint(folder: string, size: number, committed: BundleSizes): string {
  const limit = committed[basename(folder)];
  const cure = `npm run bundles:update writes ${sizesFile}; the commit says why the bundle grows`;
  if (size === 0) return 'has no JavaScript in dist: build it first';
  if (limit === undefined) return `has no committed size: ${cure}`;
  if (size <= limit * (1 + TOLERANCE)) return '';
  return `has ${size} KiB of JavaScript, and ${limit} KiB are committed: ${cure}`;
}
