import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './source-file.ts';

/**
 * What must be clean before a package is published, after a build: what `npm pack` would ship, its types as an
 * ESM application sees them, and that a CommonJS application can load it.
 */
const checks: Readonly<Record<string, (name: string) => string[]>> = {
  publint: (name) => ['run', folderOf(name), '--strict', '--pack', 'npm'],
  attw: (name) => ['--pack', folderOf(name), '--profile', 'esm-only'],
  node: (name) => ['--eval', `require('@keelson/${name}')`],
};

for (const name of readdirSync(join(root, 'packages'))) {
  for (const [program, argumentsFor] of Object.entries(checks)) {
    const { status, stdout, stderr } = spawnSync(
      join(root, 'node_modules/.bin', program),
      argumentsFor(name),
      { encoding: 'utf8', cwd: root },
    );
    process.stdout.write(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}: ${program}\n`);
    if (status !== 0) {
      process.stdout.write(`${stdout}${stderr}\n`);
      process.exitCode = 1;
    }
  }
}

function folderOf(name: string): string {
  return join(root, 'packages', name);
}
