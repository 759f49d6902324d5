import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Supervisor } from './supervisor.ts';

/** A test program that pauses a process whose threads are busy, and prints the states of the threads after each pause. */
const busy = `
const { Worker } = require('node:worker_threads');
const forever = 'for (;;);';
for (let n = 0; n < 4; n++) new Worker(forever, { eval: true });
console.log(process.pid);
eval(forever);`;

const folder = await mkdtemp(join(tmpdir(), 'keelson-supervised-'));
const supervisor = await Supervisor.create(folder, 1000);
supervisor.start('busy', process.execPath, ['-e', busy]);
await until(() => supervisor.logs()['busy'] !== '');
const pid = Number.parseInt(supervisor.logs()['busy'] ?? '');
const found: string[] = [];
for (let n = 0; n < 5; n++) {
  await supervisor.signal('busy', 'SIGSTOP');
  found.push(statesOf(pid));
  await supervisor.signal('busy', 'SIGCONT');
}
await supervisor.abandon();
console.log(JSON.stringify(found));

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await pause(5);
}

/** Every state of a thread once, see proc_pid_stat(5). */
function statesOf(process: number): string {
  const states = readdirSync(`/proc/${process}/task`).map((thread) => {
    const line = readFileSync(`/proc/${process}/task/${thread}/stat`, 'latin1');
    return line.charAt(line.lastIndexOf(')') + 2);
  });
  return [...new Set(states)].join('');
}
