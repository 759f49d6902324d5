import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** The unit of `/proc/PID/stat`, the same on every Linux of today. */
const TICKS_PER_SECOND = 100;

/** The process that has this word on its command line; `undefined` where there is no `/proc`. */
export async function findProcess(word: string): Promise<number | undefined> {
  for (const name of await readdir('/proc').catch(() => [])) {
    // Other entries have no command line, and a process may end meanwhile.
    const words = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (words.split('\0').includes(word)) return Number(name);
  }
  return undefined;
}

/** Processor time that a process has used, in seconds. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in brackets, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
