import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Returns the text of a kubeconfig with one context, one cluster and one user. */
export function kubeConfigOf(user: object, cluster: object = {}, context: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', ...context } }],
    'current-context': 'x',
  });
}

/** A folder for the files of one test; disposing removes it. */
export interface Folder extends AsyncDisposable {
  readonly path: string;
  /** Writes a file and returns its path. */
  readonly file: (name: string, text: string) => Promise<string>;
  /** Writes an executable shell script and returns its path. */
  readonly script: (name: string, text: string) => Promise<string>;
}

export async function openFolder(): Promise<Folder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'keelson-client-'));
  const file = async (name: string, text: string): Promise<string> => {
    const at = path.join(folder, name);
    await mkdir(path.dirname(at), { recursive: true });
    await writeFile(at, text);
    return at;
  };
  return {
    path: folder,
    file,
    async script(name, text) {
      const at = await file(name, `#!/bin/sh\n${text}\n`);
      await chmod(at, 0o700);
      return at;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
