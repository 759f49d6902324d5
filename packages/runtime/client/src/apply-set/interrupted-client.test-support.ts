import type { Client } from '../verbs/client.ts';

/** The error with which an interrupted client rejects. */
export class Interruption extends Error {}

/** Where a client stops: before its request of this number, from 1, or after the server has handled it. */
export interface InterruptionPoint {
  readonly request: number;
  readonly isHandled: boolean;
}

const verbs = ['get', 'apply', 'patch', 'delete', 'items'] as const;

/**
 * Returns a client that ends at one of its requests, as a process that is killed there, and a function that returns the
 * number of its requests. All its later requests are not sent. With `isHandled` the response of the request is lost.
 */
export function interruptedClient(
  client: Client,
  { request, isHandled }: InterruptionPoint,
): { readonly client: Client; readonly count: () => number } {
  let count = 0;
  const call = (verb: (typeof verbs)[number], given: unknown[]): unknown => {
    count += 1;
    const send = client[verb] as (...all: unknown[]) => unknown;
    if (count < request) return send.apply(client, given);
    if (count > request || !isHandled) return lost(verb);
    return lost(verb, send.apply(client, given));
  };
  const counted = Object.fromEntries(
    verbs.map((verb) => [verb, (...given: unknown[]) => call(verb, given)]),
  );
  return { client: clientWith(client, counted), count: () => count };
}

/** Returns a client some of whose methods are replaced. */
export function clientWith(client: Client, methods: Partial<Client>): Client {
  return new Proxy(client, {
    get: (target, name) => {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name) as unknown;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

/** The result of a call whose response is lost. */
function lost(verb: string, handled?: unknown): unknown {
  const end = async (): Promise<never> => {
    await handled;
    throw new Interruption('the process was killed');
  };
  return verb === 'items' ? { [Symbol.asyncIterator]: () => ({ next: end }) } : end();
}
