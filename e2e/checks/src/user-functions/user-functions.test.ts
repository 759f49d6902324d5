import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { functionsIn, packages, readList } from './user-functions.ts';

const root = join(import.meta.dirname, '../../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('functionsIn', () => {
  test('finds members with a function type, optional methods, callbacks and function types', () => {
    const signatures = `type Mapper<T> = (object: T) => string;

interface Options {
    readonly name?: string;
    readonly keyOf?: (item: string) => unknown;
}

interface Observer {
    added?(priority: number): void;
}

declare class Queue {
    get length(): number;
    withdraw(matches: (source: string) => boolean): number;
}

interface RateLimiter {
    delay(key: unknown): number;
}`;
    expect(functionsIn(signatures)).toEqual([
      'Mapper',
      'Options.keyOf',
      'Observer.added',
      'Queue.withdraw',
      'RateLimiter.delay',
    ]);
  });
});

describe('the functions of users', () => {
  const listed = readList(read('e2e/checks/data/user-functions.txt'));

  test('each has a row in data/user-functions.txt, and each row is one of them', () => {
    const present = packages.flatMap((name) =>
      functionsIn(read(`e2e/checks/exports/signatures/${name}.txt`)).map((id) => `${name} ${id}`),
    );
    expect(listed.map(({ id }) => id).toSorted()).toEqual(present.toSorted());
  });

  test('the test that walks the faults of each exists and names it', () => {
    const missing = listed.filter(({ id, walkedBy }) => {
      if (walkedBy === undefined) return false;
      if (!existsSync(join(root, walkedBy))) return true;
      const [, declaration = '', member = declaration] = id.split(/[ .]/);
      const isObserver = declaration.endsWith('Observer');
      const words = aliases[id] ?? (isObserver ? 'observer_?methods' : member);
      return !new RegExp(words, 'i').test(read(walkedBy));
    });
    expect(missing).toEqual([]);
  });
});

/** The words by which a test names a function, if they differ from its member. */
const aliases: Readonly<Record<string, string>> = {
  'informer BodyFunction': 'body',
  'informer HeadFunction': 'head',
  'informer EventHandler': 'addEventHandler',
  'manager EventPredicates.deleted': 'byType',
  'manager EventPredicates.updated': 'byType',
  'manager RequestMapper': 'map:',
  'schema StandardProps.input': 'refused by parse',
  'schema StandardProps.output': 'refused by parse',
  'schema StandardProps.validate': 'refused by parse',
  'manager RouteHandler': 'route',
  'manager Manager.addHealthCheck': 'HealthChecks',
  'manager Manager.addReadyCheck': 'HealthChecks',
  'manager Manager.addRoute': 'Routes',
};
