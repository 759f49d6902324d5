import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Asset } from './assets.ts';

/** Shell scripts in place of the programs of a control plane. */
export async function fakeAssets(scripts: Partial<Record<Asset, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-fake-assets-'));
  for (const [name, script] of Object.entries(scripts)) {
    const file = join(folder, name);
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
  }
  return folder;
}

/** Tells its version and otherwise does what it is given. */
export function versioned(version: string, script: string): string {
  return `if [ "$1" = --version ]; then echo "Kubernetes ${version}"; exit 0; fi\n${script}`;
}

/** Programs that behave like etcd and kube-apiserver as far as starting and stopping goes. */
export function fakePrograms(): Promise<string> {
  const program = fileURLToPath(new URL('fake-process.test-support.ts', import.meta.url));
  const run = `exec "${process.execPath}" "${program}" "$@"`;
  return fakeAssets({ etcd: run, 'kube-apiserver': versioned('v1.36.3', run) });
}
