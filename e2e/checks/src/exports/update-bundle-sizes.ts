import { globSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { root } from '../sources/source-file.ts';
import { measureBundles, sizesFile } from './bundle-sizes.ts';

const folders = globSync('packages/*/*/package.json', { cwd: root }).map((file) => dirname(file));
const sizes = folders
  .map((folder) => [basename(folder), measureBundles(join(root, folder))] as const)
  .toSorted(([a], [b]) => (a < b ? -1 : 1));
for (const [name, size] of sizes) process.stdout.write(`${name}: ${size} KiB\n`);
writeFileSync(
  join(root, sizesFile),
  `${JSON.stringify(Object.fromEntries(sizes), undefined, 2)}\n`,
);
