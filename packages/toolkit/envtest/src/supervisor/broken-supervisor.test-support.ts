import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Supervisor } from './supervisor.ts';

/** A test program in which every child process fails to start; prints the error and whether the folder is left. */
process.env.NODE_OPTIONS = '--no-such-option';
const folder = await mkdtemp(join(tmpdir(), 'keelson-broken-'));
const failure = await Supervisor.create(folder, 1000).catch((error: unknown) => error);
console.log(failure instanceof Error ? failure.message : 'it has started');
console.log(existsSync(folder) ? 'the folder is left' : 'nothing is left');
