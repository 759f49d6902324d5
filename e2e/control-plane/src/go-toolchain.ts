import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { moduleFolder } from './cache-folder.ts';

/** Whether a Go toolchain is on this machine. */
export async function hasGo(): Promise<boolean> {
  return (await goVersion()) !== undefined;
}

/** Go is missing on this machine. */
export class NoGo extends Error {
  override readonly name = 'NoGo';
}

/** Throws unless the installed Go can build the module: `NoGo` if it is missing. */
export async function checkGo(): Promise<void> {
  const [wanted, found] = await Promise.all([wantedVersion(), goVersion()]);
  if (found === undefined) throw new NoGo('no Go on PATH');
  if (compareVersions(found, wanted) >= 0) return;
  throw new Error(
    `go ${wanted} or newer is needed (e2e/control-plane/go.mod), and this is go ${found}: ` +
      'install a newer one (https://go.dev/dl), or let this one fetch it with GOTOOLCHAIN=auto',
  );
}

/** The `go` line of the module. */
async function wantedVersion(): Promise<string> {
  const text = await readFile(join(moduleFolder, 'go.mod'), 'utf8');
  const version = /^go (\S+)$/m.exec(text)?.[1];
  if (version === undefined) throw new Error('go.mod has no go line');
  return version;
}

/**
 * The version that builds; `undefined` without Go. Asked inside the module, where `GOTOOLCHAIN=auto`
 * has chosen already; one that refuses the module for its `go` line names itself outside of it.
 */
async function goVersion(): Promise<string | undefined> {
  return (await askGo(moduleFolder)) ?? (await askGo('/'));
}

async function askGo(cwd: string): Promise<string | undefined> {
  const child = spawn('go', ['version'], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  // `once` rejects on the 'error' event, which reports a command that does not exist.
  const [code] = (await once(child, 'close').catch(() => [undefined])) as [number | undefined];
  return code === 0 ? (/\bgo(\d+(?:\.\d+)*)/.exec(text)?.[1] ?? '0') : undefined;
}

/** Below, at or above zero, by the numbers between the dots. */
function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number));
  for (let index = 0; index < 3; index++) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
