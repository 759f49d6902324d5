import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { expect, jest, test } from '@jest/globals';
import {
  eventually,
  managersOfTest,
  running,
  useFakeTime,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { Manager } from './manager.ts';

const host = '127.0.0.1';
const managers = managersOfTest();
/** The reviews that API servers still send to a replica that stops, until they know of it. */
const LATE_REVIEWS = 40;
const SHUTDOWN_DELAY_MS = 1000;

/** A replica, and the connections that an API server keeps to it. */
interface Replica {
  readonly manager: Manager;
  readonly agent: Agent;
  served: number;
  /** The reviews without a response. */
  pending: number;
}

async function replica(): Promise<Replica> {
  const { manager } = managers.make({
    gracePeriod: '10s',
    servers: { host, webhook: { port: 0, tls: 'self-signed', shutdownDelay: SHUTDOWN_DELAY_MS } },
  });
  manager.addWebhook({ name: 'apps', resource: WebApp, validate: () => undefined });
  await running(manager);
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  return { manager, agent, served: 0, pending: 0 };
}

const { group, version, kind, plural: resource } = WebApp;
const review = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u',
    kind: { group, version, kind },
    resource: { group, version, resource },
    operation: 'CREATE',
    userInfo: {},
    object: { metadata: { name: 'a' } },
  },
});

async function statusFrom({ manager, agent }: Replica): Promise<number | undefined> {
  const { webhook: port } = manager.ports;
  const headers = { 'content-type': 'application/json' };
  const path = '/validate/apps?timeout=10s';
  const sent = httpsRequest({ host, port, path, method: 'POST', headers, agent });
  sent.end(review);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  return response.statusCode;
}

test('no review is lost while the replicas of an operator are replaced', async () => {
  // A busy machine must not shorten the shutdown delay.
  useFakeTime({ setImmediate: true });
  const endpoints: Replica[] = [await replica(), await replica()];
  const rolled = new AbortController();
  const statuses = new Map<number | undefined, number>();
  const failures: unknown[] = [];
  const sender = async (first: number): Promise<void> => {
    for (let next = first; !rolled.signal.aborted; next += 1) {
      const target = endpoints[next % endpoints.length] as Replica;
      target.pending += 1;
      try {
        const status = await statusFrom(target);
        target.served += 1;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      } catch (error) {
        failures.push(error);
      } finally {
        target.pending -= 1;
      }
    }
  };
  const senders = [0, 1, 2, 3, 4, 5, 6, 7].map(sender);
  for (const leaving of endpoints.slice()) {
    endpoints.push(await replica());
    const stopped = leaving.manager.stop();
    const end = leaving.served + LATE_REVIEWS;
    await eventually(() => leaving.served >= end || failures.length > 0);
    endpoints.splice(endpoints.indexOf(leaving), 1);
    await eventually(() => leaving.pending === 0);
    await jest.advanceTimersByTimeAsync(SHUTDOWN_DELAY_MS);
    await stopped;
  }
  rolled.abort();
  await Promise.all(senders);
  expect(failures).toEqual([]);
  expect([...statuses.keys()]).toEqual([200]);
  expect(statuses.get(200)).toBeGreaterThan(2 * LATE_REVIEWS);
});
