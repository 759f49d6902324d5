import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const POLL_INTERVAL_MS = 2;
/** Milliseconds after which the wait ends: a system may not show the states of a process. */
const LONGEST_WAIT_MS = 5000;

/**
 * Waits until a process that got `SIGSTOP` has stopped or ended. The signal stops each thread when it next enters the
 * kernel: on a busy machine a thread runs for some ten milliseconds more, and a server may still respond.
 */
export async function hasStopped(pid: number): Promise<void> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  while (performance.now() < deadline && !(await isStopped(pid))) await pause(POLL_INTERVAL_MS);
}

async function isStopped(pid: number): Promise<boolean> {
  try {
    const states = process.platform === 'linux' ? threadStates(pid) : await processState(pid);
    return states.every((state) => state === 'T' || state === 'Z');
  } catch {
    // The process, or a thread of it, has ended since.
    return !isAlive(pid);
  }
}

/** One letter for each thread, see proc_pid_stat(5): the field after the name, which is in parentheses. */
function threadStates(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const line = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1');
    return line.charAt(line.lastIndexOf(')') + 2);
  });
}

async function processState(pid: number): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'state=', '-p', String(pid)]);
  return [stdout.trim().charAt(0)];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
