import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Supervisor } from './supervisor.ts';

/** A test program with one supervised process, whose pid it prints. It runs until it is killed. */
const folder = await mkdtemp(join(tmpdir(), 'keelson-supervised-'));
const supervisor = await Supervisor.create(folder, 1000);
supervisor.start('sleep', '/bin/sh', ['-c', 'echo $$; exec sleep 600']);
setInterval(() => {
  const { sleep: pid = '' } = supervisor.logs();
  if (pid !== '') console.log(JSON.stringify({ pid: Number(pid), folder }));
}, 5);
