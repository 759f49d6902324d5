// Node's `--require` in the programs that tests start from the sources: `bundle-sources.mjs` puts it into NODE_OPTIONS.
//
// A program that imports the manager and the API server loads 1 200 modules, which takes more than a second of processor
// time. As in tests (`source-transformer.mjs`), each source becomes a list of its exports from the bundle of its package.
// The bundles are of the sources as they were when Jest began.
const { readFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

/** Their programs import only what a command needs, and no other package imports them. */
const commands = new Set(['cli', 'create-keelson']);

const bundles = Object.entries(JSON.parse(process.env.KEELSON_TEST_BUNDLES ?? '{}'))
  .filter(([folder]) => !commands.has(path.basename(folder)))
  .map(([folder, bundle]) => ({ root: `${pathToFileURL(folder).href}/`, bundle }));

/** Returns what the module of a source exports, from the bundle of its package, or nothing if it has no exports. */
function listOfExports(url) {
  const found = bundles.find(({ root }) => url.startsWith(root));
  if (found === undefined) return undefined;
  found.names ??= JSON.parse(readFileSync(path.join(found.bundle, 'names.json'), 'utf8'));
  const names = found.names[url.slice(found.root.length)];
  if (names === undefined) return undefined;
  const list = Object.entries(names).map(([name, unique]) => `${unique} as ${name}`);
  const file = pathToFileURL(path.join(found.bundle, 'bundle.mjs')).href;
  return `export { ${list.join(', ')} } from ${JSON.stringify(file)};`;
}

// Only programs with this condition load sources: not npm, and not the workers of Jest.
const options = [...process.execArgv, process.env.NODE_OPTIONS].join(' ');
if (options.includes('--conditions=@keelson/source')) {
  registerHooks({
    load(url, context, next) {
      const source = url.endsWith('.ts') ? listOfExports(url) : undefined;
      if (source === undefined) return next(url, context);
      return { format: 'module', shortCircuit: true, source };
    },
  });
}
