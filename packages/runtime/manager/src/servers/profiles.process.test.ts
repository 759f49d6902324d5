// V8 takes seconds to begin a CPU profile of a process that has loaded as much as one of Jest that ran other files before.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { PlainResponse } from './http-server.ts';
import { Profiles } from './profiles.ts';

async function asked(profiles: Profiles, path: string): Promise<PlainResponse | undefined> {
  return profiles.respond(new URL(`http://server/debug/${path}`));
}

describe('Profiles', () => {
  test('makes a CPU profile that the developer tools read, at the latest when it stops', async () => {
    const profiles = new Profiles();
    const profile = asked(profiles, 'cpu-profile?seconds=60');
    expect((await asked(profiles, 'event-loop-delay'))?.status).toBe(409);
    profiles.stop();
    const { headers, body } = (await profile) as PlainResponse;
    expect(headers).toEqual({ 'content-disposition': 'attachment; filename="cpu.cpuprofile"' });
    expect(Object.keys(JSON.parse(body as string) as object)).toEqual(
      expect.arrayContaining(['nodes', 'startTime', 'endTime', 'samples']),
    );
  });

  test('makes a heap snapshot as a stream, and the next one when that has ended', async () => {
    // In a process of its own: the heap of a process of Jest is hundreds of megabytes.
    const profiles = new URL('profiles.ts', import.meta.url).href;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--conditions=@keelson/source',
      '--input-type=module',
      '--eval',
      `import { Profiles } from '${profiles}';
      const profiles = new Profiles();
      const snapshot = () => profiles.respond(new URL('http://server/debug/heap-snapshot'));
      const { headers, body } = await snapshot();
      const during = (await snapshot()).status;
      const closed = new Promise((resolve) => body.once('close', resolve));
      const [chunk] = await body.take(1).toArray();
      await closed;
      const next = await snapshot();
      next.body.destroy();
      console.log(JSON.stringify([headers, chunk.toString().slice(0, 19), during, next.status]));`,
    ]);
    expect(JSON.parse(stdout)).toEqual([
      { 'content-disposition': 'attachment; filename="heap.heapsnapshot"' },
      '{"snapshot":{"meta"',
      409,
      200,
    ]);
  });

  test.each(['0', '61', '1.5', '', 'x', '1e9', '-1'])('refuses ?seconds=%s', async (seconds) => {
    const profiles = new Profiles();
    expect((await asked(profiles, `cpu-profile?seconds=${seconds}`))?.status).toBe(400);
    profiles.stop();
    expect((await asked(profiles, 'cpu-profile'))?.status).toBe(200);
  });
});
