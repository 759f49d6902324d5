// Builds the documentation site as static files, and prints their folder. With --into it also copies them to the folder of all
// published versions: a release into the folder of its minor version, everything else into `next`.
//   node src/build-site.ts [--version 0.2.0] [--path /keelson/] [--into FOLDER]
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSite } from './build/site.ts';
import { publishSite } from './publish/publish-site.ts';
import { NEXT, versionFolder } from './publish/versions.ts';

/** The address at which GitHub serves the branch `gh-pages`. */
const host = 'https://keelson.github.io';

const root = join(import.meta.dirname, '../../..');
const { values } = parseArgs({
  options: {
    version: { type: 'string' },
    path: { type: 'string', default: '/' },
    into: { type: 'string' },
  },
});
const manifest = readFileSync(join(root, 'packages/runtime/manager/package.json'), 'utf8');
const packed = (JSON.parse(manifest) as { version: string }).version;
const folder = versionFolder(values.version ?? NEXT);
const site = buildSite({
  root,
  base: values.into === undefined ? values.path : `${values.path}${folder}/`,
  version: values.version ?? `${packed} (${NEXT})`,
  ...(values.into !== undefined && { versions: `${host}${values.path}versions.html` }),
  ref: values.version === undefined ? 'main' : `v${values.version}`,
});
// npm changes the working directory and leaves the one of the user in INIT_CWD.
const from = process.env['INIT_CWD'] ?? process.cwd();
if (values.into !== undefined) publishSite({ site, folder, into: resolve(from, values.into) });
console.log(site);
