import { expect, test } from '@jest/globals';
import type { ObjectKey } from '@keelson/apimachinery';
import type { NormalQuery } from '@keelson/informer';
import { Thing } from '../server/kind.ts';
import { SimulatedServer, type Place } from '../server/simulated-server.ts';
import { StoreTimeline } from './store-timeline.ts';

const query: NormalQuery = {
  resource: Thing,
  namespace: undefined,
  labelSelector: 'app=x',
  fieldSelector: undefined,
  projection: 'full',
};
const content = { labels: { app: 'x' }, value: 1 };

function place(name: string): Place {
  return { resource: Thing, namespace: 'n1', name };
}

/** The states of a server: `a`, then `b`, then a newer `a`, then none. */
function setUp(): StoreTimeline {
  const server = new SimulatedServer();
  server.write(place('a'), content);
  server.write(place('b'), content);
  server.write(place('a'), content);
  server.remove(place('a'));
  server.write(place('b'), { ...content, labels: {} });
  return new StoreTimeline(query, server.historyOf(Thing));
}

function shown(states: Readonly<Record<string, number>>): Map<ObjectKey, number> {
  return new Map(Object.entries(states).map(([name, stamp]) => [`n1/${name}`, stamp]));
}

test('a store may show each state of the server, and skip states', () => {
  const timeline = setUp();
  expect(timeline.advance(shown({ a: 1 }))).toBeUndefined();
  expect(timeline.advance(shown({ a: 3, b: 2 }))).toBeUndefined();
  expect(timeline.advance(shown({}))).toBeUndefined();
});

test('a store that goes back is found', () => {
  const timeline = setUp();
  expect(timeline.advance(shown({ a: 3, b: 2 }))).toBeUndefined();
  expect(timeline.advance(shown({ a: 1, b: 2 }))).toContain('n1/a in state 1');
});

test('a store with objects of different times is found', () => {
  expect(setUp().advance(shown({ a: 3 }))).toContain('n1/a in state 3');
});

test('a store that keeps an object that left the selector is found', () => {
  const timeline = setUp();
  expect(timeline.advance(shown({ b: 2 }))).toBeUndefined();
  expect(timeline.advance(shown({ b: 5 }))).toContain('n1/b in state 5');
});
