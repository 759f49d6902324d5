import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const folder = fileURLToPath(new URL('.', import.meta.url));
const module = new URL('snapshot-file.ts', import.meta.url).href;

/** In a process of its own, which a rejection without a handler ends. */
test.each([
  ['a folder', folder, 'EISDIR'],
  ['a missing file', `${folder}none`, 'ENOENT'],
])('a snapshot that is %s is refused, and the process continues', async (_what, file, reason) => {
  const program = `
    import { setImmediate } from 'node:timers/promises';
    const { readSnapshot } = await import(${JSON.stringify(module)});
    const { code, facts } = await readSnapshot(${JSON.stringify(file)}).catch((error) => error);
    await setImmediate();
    console.log(code, facts.reason);`;
  const words = ['--conditions=@keelson/source', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  expect(stdout).toMatch(`SNAPSHOT_UNREADABLE ${reason}`);
});
