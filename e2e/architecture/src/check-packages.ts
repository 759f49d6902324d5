import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './source-file.ts';

/** What must be clean before a package is published; both look at what `npm pack` would ship, built. */
const checks: Readonly<Record<string, (folder: string) => string[]>> = {
  publint: (folder) => ['run', folder, '--strict', '--pack', 'npm'],
  attw: (folder) => ['--pack', folder, '--profile', 'esm-only'],
};

for (const name of readdirSync(join(root, 'packages'))) {
  for (const [program, argumentsFor] of Object.entries(checks)) {
    const { status, stdout, stderr } = spawnSync(
      join(root, 'node_modules/.bin', program),
      argumentsFor(join(root, 'packages', name)),
      { encoding: 'utf8', cwd: root },
    );
    process.stdout.write(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}: ${program}\n`);
    if (status !== 0) {
      process.stdout.write(`${stdout}${stderr}\n`);
      process.exitCode = 1;
    }
  }
}
