import { HeldWait, type WaitCondition } from '../cache/held-wait.ts';
import { pick } from '../server/pick.ts';
import type { World } from '../world/world.ts';
import type { Actions } from './action.ts';
import { placeOf } from './server-actions.ts';

type Holds = WaitCondition['holds'];

/** The conditions of waits. */
const conditions: Readonly<Record<string, (n: number) => Holds>> = {
  'to exist': () => (value) => value !== undefined,
  'to be gone': () => (value) => value === undefined,
  'to have an odd value': () => (value) => (value ?? 0) % 2 === 1,
  'to have a value below': (n) => (value) => value !== undefined && value < n,
};

/** Waits for states of objects. */
export const waitActions: Actions = {
  'wait for an object': (world, n) => {
    const wait = start(world, n);
    return wait.name;
  },
  'wait for an object while it changes': (world, n) => {
    const wait = start(world, n);
    const { resource, namespace, name } = placeOf(n);
    const present = world.server.find({ resource, namespace, name });
    if (present === undefined) world.server.write(placeOf(n), { labels: {}, value: n });
    else world.server.remove(placeOf(n));
    return `${wait.name}, while it changes`;
  },
  'wait for an own write': (world, n) => {
    const wait = start(world, n);
    const { resource, namespace, name } = placeOf(n);
    const object = { metadata: { namespace, name }, spec: { value: n } };
    const exists = world.server.find({ resource, namespace, name }) !== undefined;
    const { client } = world;
    const written = exists
      ? client.delete(resource, object.metadata)
      : client.apply(resource, object);
    void written.catch(() => undefined);
    return `${wait.name}, which this process ${exists ? 'deletes' : 'creates'}`;
  },
  'abort wait': ({ waits }, n) => {
    const open = waits.filter(({ isOpen }) => isOpen);
    const wait = pick(open, n);
    wait?.abort();
    return wait?.name;
  },
};

function start({ cache, scope, report, waits }: World, n: number): HeldWait {
  const { resource, namespace, name } = placeOf(n);
  const [text, holdsOf] = pick(Object.entries(conditions), Math.floor(n / 7)) ?? [];
  const holds = holdsOf?.(n) ?? (() => true);
  const condition = { text: text ?? '', resource, name: { namespace, name }, holds };
  const reader = n % 3 === 0 ? cache : scope;
  const wait = new HeldWait(condition, reader, { report, isLimited: n % 5 === 0 });
  waits.push(wait);
  return wait;
}
