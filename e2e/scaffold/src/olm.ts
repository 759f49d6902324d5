import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputOf } from '@keelson/e2e-runtimes';

const sources = fileURLToPath(new URL('../olm', import.meta.url));

/** Returns the path of the program in `olm`, which Go builds once for this machine and this version of its sources. */
export async function bundleValidator(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of ['main.go', 'go.mod']) hash.update(await readFile(join(sources, file)));
  const key = hash.digest('hex').slice(0, 12);
  const folder = join(homedir(), '.cache', 'keelson', `olm-validate-${key}`);
  const program = join(folder, 'olm-validate');
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  await outputOf({ cwd: sources, env: process.env }, 'go', ['build', '-o', program, '.']);
  return program;
}
