import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Asset } from './assets.ts';

/** Writes shell scripts in place of the programs of a control plane; returns their folder. */
export async function fakeAssets(scripts: Partial<Record<Asset, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-fake-assets-'));
  for (const [name, script] of Object.entries(scripts)) {
    const file = join(folder, name);
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
  }
  return folder;
}

/** A script that prints `version` for `--version` and otherwise runs `script`. */
export function versioned(version: string, script: string): string {
  return `if [ "$1" = --version ]; then echo "Kubernetes ${version}"; exit 0; fi\n${script}`;
}

/** Writes programs that start and stop like etcd and kube-apiserver; returns their folder. */
export function fakePrograms(): Promise<string> {
  const program = fileURLToPath(new URL('fake-process.test-support.ts', import.meta.url));
  const run = `exec "${process.execPath}" "${program}" "$@"`;
  return fakeAssets({ etcd: run, 'kube-apiserver': versioned('v1.36.3', run) });
}
