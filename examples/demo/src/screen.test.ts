import { describe, expect, test } from '@jest/globals';
import { LiveScreen, PlainScreen } from './screen.ts';
import type { Snapshot } from './snapshot.ts';

function snapshot(objects: number): Snapshot {
  const kind = { kind: 'Shop', state: 'live', handles: 4, objects, onTheWire: 1 };
  const controller = { name: 'status', depth: 7, running: 1, reconciles: 42, perSecond: 21 };
  return { kinds: [kind], controllers: [controller] };
}

describe('LiveScreen', () => {
  test('draws the phase, its progress and both tables', () => {
    const written: string[] = [];
    const screen = new LiveScreen(
      (text) => written.push(text),
      () => 80,
    );
    screen.phase('Shops open', 0.5);
    screen.show(snapshot(200));
    const bar = `${'█'.repeat(15)}${'░'.repeat(15)} Shops open`;
    expect(written.join('').split('\n')).toEqual([
      '\u001B[J',
      bar,
      '',
      'KIND  WATCHES ON THE WIRE  HANDLES  OBJECTS  STATE',
      'Shop                    1        4      200  live',
      '',
      'CONTROLLER  DEPTH  RUNNING  RECONCILES  PER SECOND',
      'status          7        1          42          21',
      '',
    ]);
  });

  test('goes back up over what it drew, and what is said stays above', () => {
    const written: string[] = [];
    const screen = new LiveScreen(
      (text) => written.push(text),
      () => 80,
    );
    screen.show(snapshot(1));
    const drawn = written.join('').split('\n').length - 1;
    written.length = 0;
    screen.print('said');
    expect(written[0]).toBe(`\u001B[${drawn}A\u001B[J`);
    expect(written[1]).toBe('said\n');
    screen.close();
    expect(written.at(-1)).toBe(`\u001B[${drawn}A\u001B[J`);
  });

  test('cuts lines that the terminal would wrap', () => {
    const written: string[] = [];
    const screen = new LiveScreen(
      (text) => written.push(text),
      () => 10,
    );
    screen.show(snapshot(1));
    const lines = written.join('').replace('\u001B[J', '').split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBe(10);
  });
});

describe('PlainScreen', () => {
  test('prints a phase once, and a changed state at most once a second and at the end of a phase', () => {
    let now = 0;
    const lines: string[] = [];
    const screen = new PlainScreen(
      (line) => lines.push(line),
      () => now,
    );
    screen.phase('opening');
    screen.phase('opening');
    screen.show(snapshot(1));
    now = 500;
    screen.show(snapshot(2));
    now = 1000;
    screen.show(snapshot(1));
    screen.show(snapshot(3));
    screen.show(snapshot(4));
    screen.phase('closing');
    screen.close();
    expect(lines).toEqual([
      '== opening\n',
      '   in the cache: 1 Shops; 7 queued, 42 reconciled, 21 a second\n',
      '   in the cache: 3 Shops; 7 queued, 42 reconciled, 21 a second\n',
      '   in the cache: 4 Shops; 7 queued, 42 reconciled, 21 a second\n',
      '== closing\n',
    ]);
  });
});
