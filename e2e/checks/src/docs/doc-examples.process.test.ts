import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { readSources } from '../sources/source-file.ts';
import { docExamples } from './doc-example.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

const settings = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: {
    noEmit: true,
    composite: false,
    declarationMap: false,
    isolatedDeclarations: false,
    allowImportingTsExtensions: true,
    typeRoots: [join(root, 'node_modules/@types')],
  },
  include: ['*.ts'],
  references: [],
};

/** Returns the output of the compiler for the project in the folder. */
function compile(folder: string): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    const words = [compiler, '-p', folder, '--pretty', 'false'];
    execFile(process.execPath, words, { cwd: folder }, (_error, stdout) => resolve(stdout));
  });
}

test('the examples of the doc comments compile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-examples-'));
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const sources = readSources(['packages']);
    const examples = sources.flatMap(({ text }) => docExamples(text));
    for (const [index, { name, code }] of examples.entries()) {
      await writeFile(join(folder, `${index}-${name}.ts`), `${code}\n`);
    }
    expect(await compile(folder)).toBe('');
  } finally {
    await rm(folder, { recursive: true });
  }
});
