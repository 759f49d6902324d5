// Builds the documentation site into a folder of static files.
//   node src/build-site.ts [--base /keelson/0.2/] [--version 0.2.0] [--ref v0.2.0]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSite } from './build/site.ts';

const root = join(import.meta.dirname, '../../..');
const manifest = readFileSync(join(root, 'packages/runtime/manager/package.json'), 'utf8');
const { version } = JSON.parse(manifest) as { version: string };
const { values } = parseArgs({
  options: {
    base: { type: 'string', default: '/' },
    version: { type: 'string', default: version },
    ref: { type: 'string', default: 'main' },
  },
});
console.log(buildSite({ root, ...values }));
