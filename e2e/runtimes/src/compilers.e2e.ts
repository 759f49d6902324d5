import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { InstalledProject } from './installed-project.ts';
import { libraryNames } from './library-names.ts';
import { compilerOptions, programOfTypes } from './program-of-types.ts';

/** The oldest supported compiler, the last of each later major version, and 7, the compiler in Go. */
const compilers = ['5.6.3', '5.9.3', '6.0.3', '7.0.2'] as const;

/** `nodenext` as Node.js resolves, `bundler` as Vite, esbuild and Rollup do. */
const resolutions: Readonly<Record<string, readonly string[]>> = {
  nodenext: [],
  bundler: ['--module', 'esnext', '--moduleResolution', 'bundler'],
};

describe('TypeScript', () => {
  let project: InstalledProject;
  let names: string[];

  beforeAll(async () => {
    names = await libraryNames();
    project = await InstalledProject.create();
    const aliases = compilers.map((version) => `typescript-${version}@npm:typescript@${version}`);
    await project.run('npm', 'install', ...names, ...aliases, '@types/node@24');
    await project.write('uses.ts', programOfTypes(names));
    await project.write('wrong.ts', `${programOfTypes(names)}\nwebsites.resource.plural = 1;\n`);
  });

  afterAll(async () => {
    await project?.[Symbol.asyncDispose](); // undefined if packing failed
  });

  const compile = (version: string, ...words: readonly string[]): Promise<string> => {
    const compiler = `node_modules/typescript-${version}/bin/tsc`;
    return project.run(process.execPath, compiler, ...compilerOptions, ...words);
  };

  describe.each(compilers)('%s', (version) => {
    test.each(Object.entries(resolutions))(
      'accepts every declaration that the packages reach (%s)',
      async (_name, options) => {
        expect(await compile(version, ...options, 'uses.ts')).toBe('');
      },
    );

    test('reports a wrong use', async () => {
      await expect(compile(version, 'wrong.ts')).rejects.toThrow(/wrong\.ts\(\d+,\d+\): error/);
    });
  });
});
