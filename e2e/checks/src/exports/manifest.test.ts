import { readFileSync, readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { packageNameOf } from '../sources/resolve-import.ts';
import { root } from '../sources/source-file.ts';
import { readWorkspace } from '../sources/workspace.ts';

interface Manifest {
  readonly name: string;
  readonly repository?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const folders = ['packages', 'examples', 'e2e'].flatMap((wing) =>
  readdirSync(join(root, wing), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${wing}/${name}`),
);

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

describe('package.json', () => {
  const { modules, rootDevDependencies } = readWorkspace();

  test.each(folders.filter((folder) => folder.startsWith('packages/')))(
    '%s names the repository and its folder in it',
    (directory) => {
      const url = 'git+https://github.com/keelson/keelson.git';
      expect(manifestOf(directory).repository).toEqual({ type: 'git', url, directory });
    },
  );

  test.each(folders)(
    '%s lists every package that its code imports (strict layout of pnpm)',
    (folder) => {
      const { name, dependencies = {}, devDependencies = {} } = manifestOf(folder);
      const listed = new Set([name, ...Object.keys(dependencies), ...Object.keys(devDependencies)]);
      const missing = modules
        .filter(({ path }) => path.startsWith(`${folder}/`))
        .flatMap(({ path, imports }) =>
          imports.map(({ specifier = '.' }) => ({
            path,
            specifier,
            imported: packageNameOf(specifier),
          })),
        )
        .filter(({ specifier }) => !specifier.startsWith('.') && !isBuiltin(specifier))
        .filter(({ imported }) => !listed.has(imported) && !rootDevDependencies.includes(imported))
        .map(({ path, imported }) => `${path} imports ${imported}`);
      expect(missing).toEqual([]);
    },
  );

  test('every example imports Keelson only from @keelson/manager and the packages for tests', () => {
    const others = modules
      .filter(({ path }) => path.startsWith('examples/'))
      .flatMap(({ path, imports }) =>
        imports.map(({ specifier }) => `${path} imports ${specifier}`),
      )
      .filter((line) => /@keelson\/(?:apimachinery|client|informer|workqueue)$/.test(line));
    expect(others).toEqual([]);
  });
});
