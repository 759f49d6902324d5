// Run in the folder of a package after tsc, which writes only its declarations: bundles each entry point of its
// `exports`, and each program that is given as an argument, into `dist`. Node.js then loads one file instead of hundreds.
// Other packages stay imports, Keelson's too, so that each exists once in a process. Code that several entry points share
// goes into a chunk, so that each class exists once. Programs and chunks are in `dist` itself: their paths to other files
// of the package are then the same in each.
import { globSync, readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const entryPoints = Object.values(manifest.exports)
  .filter((entry) => entry['@keelson/source'] !== undefined)
  .map((entry) => ({ in: entry['@keelson/source'], out: withoutEnding(entry.default) }));
const programs = process.argv.slice(2).map((file) => ({ in: file, out: basename(file, '.ts') }));

for (const file of globSync('dist/**/*.{js,js.map}')) rmSync(file);
await build({
  entryPoints: [...entryPoints, ...programs],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: `node${/\d+\.\d+/.exec(manifest.engines.node)[0]}`,
  sourcemap: true,
  // The sources are packed.
  sourcesContent: false,
  logLevel: 'warning',
});

/** './dist/internal/index.js' → 'internal/index' */
function withoutEnding(file) {
  return file.replace(/^\.\/dist\//, '').replace(/\.js$/, '');
}
