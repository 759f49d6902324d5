import { describe, expect, test } from '@jest/globals';
import { BackgroundWork } from './background-work.ts';

describe('BackgroundWork', () => {
  test('runs a job once however often its key is added', async () => {
    const work = new BackgroundWork();
    const ran: string[] = [];
    work.add('a', () => ran.push('a'));
    work.add('a', () => ran.push('a again'));
    work.add('b', () => ran.push('b'));
    expect(ran).toEqual([]);
    await work.idle();
    expect(ran).toEqual(['a', 'b']);
  });

  test('is idle only when what its jobs added has run too', async () => {
    const work = new BackgroundWork();
    const ran: string[] = [];
    work.add('a', () => work.add('b', () => ran.push('b')));
    await work.idle();
    expect(ran).toEqual(['b']);
    await work.idle();
  });

  test('closed, it runs nothing and is idle', async () => {
    const work = new BackgroundWork();
    const ran: string[] = [];
    work.add('a', () => ran.push('a'));
    const idle = work.idle();
    work.close();
    work.add('b', () => ran.push('b'));
    await idle;
    expect(ran).toEqual([]);
  });
});
