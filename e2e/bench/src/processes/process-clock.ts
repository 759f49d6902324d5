import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** Ticks per second of `/proc/PID/stat`; the same on every current Linux. */
const TICKS_PER_SECOND = 100;

/** Finds the process with this word in its command line; `undefined` without `/proc`. */
export async function findProcess(word: string): Promise<number | undefined> {
  for (const name of await readdir('/proc').catch(() => [])) {
    // Entries that are not processes have no command line, and a process may end meanwhile.
    const words = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (words.split('\0').includes(word)) return Number(name);
  }
  return undefined;
}

/** Returns the processor time that a process has used, in seconds. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in brackets, may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
