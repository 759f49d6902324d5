import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Asset } from './assets.ts';

/** Shell scripts in place of the programs of a control plane. */
export async function fakeAssets(scripts: Partial<Record<Asset, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-fake-assets-'));
  for (const [name, script] of Object.entries(scripts)) {
    const file = join(folder, name);
    // oxlint-disable-next-line no-await-in-loop
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    // oxlint-disable-next-line no-await-in-loop
    await chmod(file, 0o755);
  }
  return folder;
}

/** Tells its version and otherwise does what it is given. */
export function versioned(version: string, script: string): string {
  return `if [ "$1" = --version ]; then echo "Kubernetes ${version}"; exit 0; fi\n${script}`;
}
