import { describe, expect, test } from '@jest/globals';
import { StatusError } from '@keelson/apimachinery';
import { ClientError } from '../../errors.ts';
import { FormatTrials, type ReadVerb } from './format-trials.ts';

const MINUTE = 60_000;
const broken = new StatusError({ code: 500 }, { method: 'GET', path: '/' });

/** The attempts of one resource against a server of which a test says what works. */
class World {
  time = 0;
  readonly blamed: unknown[] = [];
  readonly trials = new FormatTrials({
    clock: { monotonic: () => this.time },
    onBlamed: (error) => this.blamed.push(error),
  });
  /** Returns the error of an attempt; `undefined` if it works. */
  respond: (format: string, verb: ReadVerb) => unknown = () => undefined;

  /** Attempts to read, and returns the formats that were requested. */
  read(verb: ReadVerb, times = 1): string {
    return Array.from({ length: times }, () => this.#attempt(verb)).join(' ');
  }

  #attempt(verb: ReadVerb): string {
    const { isJson } = this.trials;
    const format = isJson ? 'json' : 'protobuf';
    const attempt = this.trials.begin(verb, isJson);
    const error = this.respond(format, verb);
    if (error === undefined) attempt.worked();
    else attempt.failed(error, false);
    return format;
  }
}

const spoilsProtobuf = (format: string): unknown => (format === 'json' ? undefined : broken);

describe('the choice between protobuf and JSON', () => {
  test('is JSON after three failures, for a minute, then for twice the time while protobuf fails', () => {
    const world = new World();
    world.respond = spoilsProtobuf;
    expect(world.read('list', 5)).toBe('protobuf protobuf protobuf json json');
    expect(world.blamed).toEqual([broken]);
    expect(world.read('watch')).toBe('json');
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      world.time += minutes * MINUTE - 1;
      expect(world.read('list')).toBe('json');
      world.time += 1;
      expect(world.read('list', 3)).toBe('protobuf json json');
    }
    world.time += 60 * MINUTE;
    world.respond = () => undefined;
    expect(world.read('list', 2)).toBe('protobuf protobuf');
    world.respond = spoilsProtobuf;
    expect(world.read('list', 4)).toBe('protobuf protobuf protobuf json');
    expect(world.blamed).toHaveLength(2);
  });

  test('is JSON if only watches fail as protobuf, although lists work', () => {
    const world = new World();
    world.respond = (format, verb) => (verb === 'list' ? undefined : spoilsProtobuf(format));
    const both = (): string => `${world.read('list')} ${world.read('watch')}`;
    expect([both(), both(), both()]).toEqual(Array(3).fill('protobuf protobuf'));
    expect([both(), both()]).toEqual(Array(2).fill('json json'));
    world.time += MINUTE;
    expect(both()).toBe('protobuf protobuf');
    expect(both()).toBe('json json');
  });

  test('is protobuf again if JSON fails too, and JSON is tried after every three failures', () => {
    const world = new World();
    world.respond = () => broken;
    const round = 'protobuf protobuf protobuf json';
    expect(world.read('watch', 8)).toBe(`${round} ${round}`);
    world.respond = () => undefined;
    expect(world.read('watch', 2)).toBe('protobuf protobuf');
    expect(world.blamed).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['401', new StatusError({ code: 401 })],
    ['404', new StatusError({ code: 404 })],
    ['410', new StatusError({ code: 410 })],
    ['429', new StatusError({ code: 429 })],
    ['503 with Retry-After', new StatusError({ code: 503, details: { retryAfterSeconds: 1 } })],
    ['an unreachable server', new ClientError('SERVER_UNREACHABLE')],
    ['a closed client', new ClientError('CLIENT_CLOSED')],
    ['an error of user code', new Error('boom')],
  ])('is protobuf after any number of failures with %s', (_, error) => {
    const world = new World();
    world.respond = () => error;
    expect(world.read('list', 9)).not.toContain('json');
  });

  test.each<[string, unknown]>([
    ['403', new StatusError({ code: 403 })],
    ['415', new StatusError({ code: 415 })],
    ['503', new StatusError({ code: 503 })],
    ['a reset', new ClientError('CONNECTION_LOST')],
    ['a page of a proxy', new ClientError('UNEXPECTED_RESPONSE')],
  ])('is JSON after three failures with %s', (_, error) => {
    const world = new World();
    world.respond = (format) => spoilsProtobuf(format) && error;
    expect(world.read('list', 4)).toBe('protobuf protobuf protobuf json');
  });

  test.each<[string, number, boolean, string]>([
    ['ends at once', 0, false, 'json'],
    ['lasts', 10_000, false, 'protobuf'],
    ['is held back before its response', 10_000, true, 'json'],
    ['is aborted early', 9_999, true, 'protobuf'],
  ])('after three watches without an object, each of which %s', (_, lived, isAborted, next) => {
    const world = new World();
    for (let count = 0; count < 3; count += 1) {
      const attempt = world.trials.begin('watch', false);
      if (!isAborted) attempt.opened();
      world.time += lived;
      if (isAborted) attempt.failed(new Error('aborted'), true);
      else attempt.ended();
    }
    expect(world.read('watch')).toBe(next);
  });
});
