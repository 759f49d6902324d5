import { randomUUID } from 'node:crypto';
import { chmod, open, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { UsageError } from '../flags/flag-values.ts';
import { makeFolder } from '../flags/make-folder.ts';

const names = ['kube-apiserver', 'etcd'] as const;

/** How the file of a stand-in begins. */
const START = '#!/bin/sh\nexec ';

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
 * folder. A file is replaced as a whole, so that a test that starts it meanwhile finds the old or the new one. Throws a
 * `UsageError`, before it writes, if the folder has a program of a name that is not a stand-in.
 */
export async function writeAssets(folder: string, program: readonly string[]): Promise<string> {
  const target = resolve(folder);
  await makeFolder(target);
  for (const name of names) await refuseProgram(join(target, name));
  for (const name of names) {
    const temporary = join(target, `.${name}.${randomUUID()}`);
    const words = [...program, 'stand-in', name].map(quote).join(' ');
    await writeFile(temporary, `${START}${words} "$@"\n`);
    await chmod(temporary, 0o755);
    await rename(temporary, join(target, name));
  }
  return target;
}

/** Refuses to replace a real kube-apiserver or etcd, such as one that setup-envtest downloaded. */
async function refuseProgram(path: string): Promise<void> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read({ length: START.length });
    if (buffer.toString('latin1', 0, bytesRead) === START) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  throw new UsageError(`${path} is not a stand-in, and is not replaced`);
}

/** As one word for a shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
