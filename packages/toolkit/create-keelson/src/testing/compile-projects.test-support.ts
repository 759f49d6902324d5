import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInProject } from './run-in-project.test-support.ts';

const compiler = fileURLToPath(
  new URL('../../../../../node_modules/typescript/bin/tsc', import.meta.url),
);

/**
 * Compiles the projects in a folder with the options of the projects; resolves with the messages. All are in one program,
 * because the compiler spends nearly all of its time on the sources of the packages, which they share.
 */
export async function compileProjects(folder: string, names: readonly string[]): Promise<string> {
  const texts = await Promise.all(
    names.map((name) => readFile(join(folder, name, 'tsconfig.json'), 'utf8')),
  );
  const [text = '{}', ...others] = new Set(texts);
  if (others.length > 0) throw new Error('the projects have different compiler options');
  const { include } = JSON.parse(text) as { include: readonly string[] };
  const config = {
    extends: `./${names[0]}/tsconfig.json`,
    include: names.flatMap((name) => include.map((path) => `${name}/${path}`)),
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  return runInProject(folder, compiler, '--customConditions', '@keelson/source');
}
