import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  firstStep,
  stepSession,
  type SessionEffect,
  type SessionEvent,
  type SessionState,
} from './session-state.ts';

const preparing: SessionState = { phase: 'preparing', isOutdated: false };
const outdated: SessionState = { phase: 'preparing', isOutdated: true };
const running: SessionState = { phase: 'running' };
const stopping: SessionState = { phase: 'stopping' };
const waiting: SessionState = { phase: 'waiting' };
const closingProgram: SessionState = { phase: 'closing', waitsFor: 'program' };
const closingPreparation: SessionState = { phase: 'closing', waitsFor: 'preparation' };
const closed: SessionState = { phase: 'closed' };

type Row = readonly [SessionState, SessionEvent, SessionState, readonly SessionEffect[]];

const table: readonly Row[] = [
  [preparing, 'prepared', running, ['start']],
  [preparing, 'failed', waiting, []],
  [preparing, 'changed', outdated, []],
  [preparing, 'quit', closingPreparation, ['cancel']],
  [outdated, 'changed', outdated, []],
  [outdated, 'prepared', preparing, ['prepare']],
  [outdated, 'failed', preparing, ['prepare']],
  [outdated, 'quit', closingPreparation, ['cancel']],
  [running, 'changed', stopping, ['terminate']],
  [running, 'exited', waiting, []],
  [running, 'quit', closingProgram, ['shutDown']],
  [stopping, 'exited', preparing, ['prepare']],
  [stopping, 'expired', stopping, ['kill']],
  [stopping, 'quit', closingProgram, ['shutDown']],
  [waiting, 'changed', preparing, ['prepare']],
  [waiting, 'quit', closed, ['close']],
  [closingProgram, 'exited', closed, ['close']],
  [closingProgram, 'expired', closingProgram, ['kill']],
  [closingProgram, 'quit', closingProgram, ['kill']],
  [closingPreparation, 'prepared', closed, ['close']],
  [closingPreparation, 'failed', closed, ['close']],
];

const states = [...new Set(table.map(([state]) => state)), closed];
const events: readonly SessionEvent[] = [
  'changed',
  'prepared',
  'failed',
  'exited',
  'expired',
  'quit',
];

describe('the state of a session', () => {
  test.each(table)('%j after %s is %j', (state, event, next, effects) => {
    expect(stepSession(state, event)).toEqual({ state: next, effects });
  });

  test('does not change by any other event', () => {
    const inTable = new Set(table.map(([state, event]) => JSON.stringify([state, event])));
    const others = states.flatMap((state) => events.map((event) => [state, event] as const));
    const absent = others.filter((pair) => !inTable.has(JSON.stringify(pair)));
    expect(absent).toHaveLength(states.length * events.length - table.length);
    for (const [state, event] of absent) {
      expect(stepSession(state, event)).toEqual({ state, effects: [] });
    }
  });
});

/** A session without processes: its programs and preparations end in the order of random events. */
class RandomSession {
  state = firstStep.state;
  isPreparing = false;
  isRunning = false;
  closed = 0;
  /** The newest version of the files, and the versions that the last preparation read and that the program has. */
  files = 0;
  prepared = -1;
  program = -1;

  constructor() {
    this.#apply(firstStep.effects);
  }

  /** Sends an event if it is possible now. */
  send(event: SessionEvent): void {
    if ((event === 'prepared' || event === 'failed') && !this.isPreparing) return;
    if (event === 'exited' && !this.isRunning) return;
    if (event === 'changed') this.files++;
    if (event === 'prepared' || event === 'failed') this.isPreparing = false;
    if (event === 'exited') this.isRunning = false;
    const { state, effects } = stepSession(this.state, event);
    this.state = state;
    this.#apply(effects);
  }

  #apply(effects: readonly SessionEffect[]): void {
    for (const effect of effects) this.#effect(effect);
  }

  #effect(effect: SessionEffect): void {
    if (effect === 'prepare') {
      expect({ preparing: this.isPreparing, running: this.isRunning }).toEqual({
        preparing: false,
        running: false,
      });
      this.isPreparing = true;
      this.prepared = this.files;
    }
    if (effect === 'start') {
      expect({ preparing: this.isPreparing, running: this.isRunning }).toEqual({
        preparing: false,
        running: false,
      });
      this.isRunning = true;
      this.program = this.prepared;
    }
    if (effect === 'terminate' || effect === 'shutDown' || effect === 'kill') {
      expect(this.isRunning).toBe(true);
    }
    if (effect === 'close') this.closed++;
  }
}

const anyEvents = fc.array(fc.constantFrom(...events), { maxLength: 40 });
/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);
const runs = { numRuns: Math.ceil(2000 * multiple) };

describe('the state of a session in any order of events', () => {
  test('has one program or one preparation at a time', () => {
    fc.assert(
      fc.property(anyEvents, (sequence) => {
        const world = new RandomSession();
        for (const event of sequence) world.send(event);
      }),
      runs,
    );
  });

  test('leads to a program with the newest files', () => {
    const withoutQuit = anyEvents.map((sequence) => sequence.filter((event) => event !== 'quit'));
    fc.assert(
      fc.property(withoutQuit, (sequence) => {
        const world = new RandomSession();
        for (const event of sequence) world.send(event);
        world.send('changed');
        for (let step = 0; step < 3 && world.program !== world.files; step++) {
          world.send('exited');
          world.send('prepared');
        }
        expect(world).toMatchObject({ isRunning: true, program: world.files });
      }),
      runs,
    );
  });

  test('is closed once after quit, when the program and the preparation have ended', () => {
    fc.assert(
      fc.property(anyEvents, anyEvents, (before, after) => {
        const world = new RandomSession();
        for (const event of [...before, 'quit' as const, ...after]) world.send(event);
        for (const event of ['expired', 'exited', 'failed'] as const) world.send(event);
        expect(world).toMatchObject({ closed: 1, isRunning: false, isPreparing: false });
      }),
      runs,
    );
  });

  test('starts at most one further program for changes during a restart', () => {
    fc.assert(
      fc.property(fc.nat({ max: 5 }), fc.nat({ max: 5 }), (whileStopping, whilePreparing) => {
        const world = new RandomSession();
        for (const event of ['prepared', 'changed'] as const) world.send(event);
        for (let count = 0; count < whileStopping; count++) world.send('changed');
        world.send('exited');
        for (let count = 0; count < whilePreparing; count++) world.send('changed');
        world.send('prepared');
        expect(world.isPreparing).toBe(whilePreparing > 0);
        world.send('prepared');
        expect(world).toMatchObject({ isPreparing: false, isRunning: true });
      }),
    );
  });
});
