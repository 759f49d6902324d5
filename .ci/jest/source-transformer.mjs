// Jest's transformer. A source of a package becomes a list of its exports from the bundle of its package, which
// `bundle-sources.mjs` has made. A source without exports (a program, or types), a test and its support files are compiled
// as they are.
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import swc from '@swc/jest';
import { builtIns } from './built-ins.mjs';

export function createTransformer(options) {
  const compiler = swc.createTransformer(options);
  const bundles = Object.entries(JSON.parse(process.env.KEELSON_TEST_BUNDLES ?? '{}')).map(
    ([folder, bundle]) => ({
      folder,
      file: join(bundle, 'bundle.mjs'),
      names: JSON.parse(readFileSync(join(bundle, 'names.json'), 'utf8')),
    }),
  );

  function listOfExports(path) {
    const bundle = bundles.find(({ folder }) => path.startsWith(folder + sep));
    const names = bundle?.names[relative(bundle.folder, path).replaceAll(sep, '/')];
    if (names === undefined) return undefined;
    const list = Object.entries(names).map(([name, unique]) => `${unique} as ${name}`);
    return `export { ${list.join(', ')} } from ${JSON.stringify(bundle.file)};`;
  }

  return {
    canInstrument: false,
    getCacheKey: (text, path, request) =>
      (listOfExports(path) ?? builtIns) + compiler.getCacheKey(text, path, request),
    process(text, path, request) {
      const list = listOfExports(path);
      if (list !== undefined) return { code: list };
      const { code, ...rest } = compiler.process(text, path, request);
      // A program begins with the name of its interpreter, which must stay first.
      return { ...rest, code: code.startsWith('#!') ? code : `${builtIns} ${code}` };
    },
  };
}

export default { createTransformer };
