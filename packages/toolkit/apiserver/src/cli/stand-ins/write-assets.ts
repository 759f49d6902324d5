import { randomUUID } from 'node:crypto';
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

const names = ['kube-apiserver', 'etcd'] as const;

/** A program that envtest starts in the place of a real one. */
export type StandIn = (typeof names)[number];

/** Whether the stand-in of this name exists. */
export function isStandIn(name: string | undefined): name is StandIn {
  return names.some((known) => known === name);
}

/** The folder of the stand-ins if none is given: `$XDG_CACHE_HOME/keelson/assets`, else `~/.cache/keelson/assets`. */
export function defaultFolder(environment: NodeJS.ProcessEnv): string {
  const cache = environment['XDG_CACHE_HOME'];
  const folder = cache === undefined || cache === '' ? join(homedir(), '.cache') : cache;
  return join(folder, 'keelson', 'assets');
}

/**
 * Writes an executable per stand-in, which starts `program` (Node.js, its options and a file), and returns the absolute path of the
 * folder. A file is replaced as a whole, so that a test that starts it meanwhile finds the old or the new one.
 */
export async function writeAssets(folder: string, program: readonly string[]): Promise<string> {
  const target = resolve(folder);
  await mkdir(target, { recursive: true });
  for (const name of names) {
    const temporary = join(target, `.${name}.${randomUUID()}`);
    const words = [...program, 'stand-in', name].map(quote).join(' ');
    await writeFile(temporary, `#!/bin/sh\nexec ${words} "$@"\n`);
    await chmod(temporary, 0o755);
    await rename(temporary, join(target, name));
  }
  return target;
}

/** As one word for a shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
