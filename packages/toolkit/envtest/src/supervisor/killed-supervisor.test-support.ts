import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Supervisor } from './supervisor.ts';

/** A test program with one supervised process, which prints its own pid and the pid of the supervisor. */
const folder = await mkdtemp(join(tmpdir(), 'keelson-supervised-'));
const supervisor = await Supervisor.create(folder, 1000);
supervisor.start('sleep', '/bin/sh', ['-c', 'echo $$ $PPID; exec sleep 600']);
const timer = setInterval(() => {
  const { sleep: pids = '' } = supervisor.logs();
  if (pids === '') return;
  clearInterval(timer);
  const [pid, supervisorPid] = pids.split(' ').map(Number);
  console.log(JSON.stringify({ pid, supervisorPid, folder }));
}, 5);
