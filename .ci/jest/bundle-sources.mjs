// Jest's globalSetup: makes one module of the sources of each package.
//
// Jest links every module anew for every test file, which costs about half a millisecond of CPU each, and a test of the
// manager reaches 1 200 modules. In the bundle of a package, every export of every source has a name of its own.
// `source-transformer.mjs` turns each source into a list of its exports from the bundle, so that a class exists once, no
// matter which source a test imports. Tests, their support files and programs are not bundled. `program-sources.cjs` does
// the same in the programs that tests start.
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { builtIns } from './built-ins.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** A bundle that no run has used for this time is deleted. */
const UNUSED_BUNDLE_MS = 3_600_000;

export default async function bundleSources() {
  const folders = globSync('packages/*/*/src', { cwd: root }).map((src) =>
    join(root, dirname(src)),
  );
  const bundles = await Promise.all(
    folders.map(async (folder) => [folder, await bundleOf(folder)]),
  );
  // Workers of Jest inherit the environment, and so do the programs that tests start.
  process.env.KEELSON_TEST_BUNDLES = JSON.stringify(Object.fromEntries(bundles));
  const hooks = `--require=${JSON.stringify(join(root, '.ci/jest/program-sources.cjs'))}`;
  const { NODE_OPTIONS: options = '' } = process.env;
  // Watching repeats this in one process.
  if (!options.includes(hooks)) process.env.NODE_OPTIONS = `${options} ${hooks}`.trim();
}

/** Returns the folder of the package's bundle, which is made if the sources have changed. */
async function bundleOf(folder) {
  const sources = globSync('src/**/*.ts', { cwd: folder }).filter(isBundled).toSorted();
  const cache = join(folder, 'node_modules/.cache/keelson-test');
  const bundle = join(cache, stateOf(folder, sources));
  if (!existsSync(bundle)) {
    // A run beside this one may make the same bundle: the first that is complete is used.
    const draft = `${bundle}-${process.pid}`;
    await writeBundle(folder, sources, draft);
    if (existsSync(bundle)) rmSync(draft, { recursive: true });
    else renameSync(draft, bundle);
  }
  const now = new Date();
  utimesSync(bundle, now, now);
  deleteUnused(cache, basename(bundle));
  return bundle;
}

const isBundled = (file) => !/\.(test|test-support|node-test|d)\.ts$/.test(file);

function stateOf(folder, sources) {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  hash.update(builtIns);
  for (const source of sources)
    hash.update(`\0${source}\0`).update(readFileSync(join(folder, source)));
  return hash.digest('hex').slice(0, 20);
}

async function writeBundle(folder, sources, target) {
  mkdirSync(target, { recursive: true });
  const names = await namesOf(folder, sources);
  const lines = Object.entries(names).map(
    ([source, exported]) =>
      `export { ${Object.entries(exported)
        .map(([name, unique]) => `${name} as ${unique}`)
        .join(', ')} } from './${source}';`,
  );
  await build({
    stdin: {
      contents: lines.join('\n'),
      resolveDir: folder,
      sourcefile: 'every-export.ts',
      loader: 'ts',
    },
    outdir: target,
    entryNames: 'bundle',
    chunkNames: '[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    banner: { js: builtIns },
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [ownAddresses],
  });
  await writeFile(join(target, 'names.json'), JSON.stringify(names));
}

/** Returns a name that is unique in the package for each export of each source that has any. */
async function namesOf(folder, sources) {
  const { metafile } = await build({
    entryPoints: sources,
    absWorkingDir: folder,
    outdir: 'unused',
    write: false,
    metafile: true,
    format: 'esm',
    logLevel: 'warning',
  });
  const withExports = Object.values(metafile.outputs).filter(({ exports }) => exports.length > 0);
  return Object.fromEntries(
    withExports.map(({ entryPoint, exports }, index) => [
      entryPoint,
      Object.fromEntries(exports.map((name) => [name, `${name}$${index}`])),
    ]),
  );
}

/** Gives each source its own `import.meta.url`, because sources find files and programs beside themselves with it. */
const ownAddresses = {
  name: 'own-addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const address = JSON.stringify(pathToFileURL(path).href);
      return { contents: text.replaceAll('import.meta.url', address), loader: 'ts' };
    });
  },
};

function deleteUnused(cache, used) {
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name);
    const unusedMs = Date.now() - statSync(folder).mtimeMs;
    if (name !== used && unusedMs > UNUSED_BUNDLE_MS)
      rmSync(folder, { recursive: true, force: true });
  }
}
