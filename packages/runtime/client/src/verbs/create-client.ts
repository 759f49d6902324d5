import {
  backoffDelays,
  checkClock,
  checkMethods,
  checkObserver,
  checkOptions,
  checkRuntime,
  invalidOption,
  systemClock,
  type Clock,
} from '@keelson/apimachinery';
import { Caller } from './calls/caller.ts';
import { requestFor } from './calls/request-for.ts';
import type { Client } from './client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { HttpClient } from './http-client.ts';
import * as check from '../values/option-check.ts';
import { isRecord } from '../values/record.ts';
import { guardedObserver } from '../values/guarded-observer.ts';
import { observerMethods, type ClientObserver } from '../http/observer.ts';
import { GuardedTracing, type RequestTracing } from '../http/request-tracing.ts';
import { defaultRetryPolicy, type RetryPolicy } from '../http/retry.ts';
import { ProtobufReads } from '../http/protobuf/protobuf-reads.ts';
import { DEFAULT_USER_AGENT } from '../http/user-agent.ts';
import { Transport } from '../http/transport.ts';

/** The cluster, the identity and the limits of a client. */
export interface ClientOptions {
  /**
   * The cluster, or a function that returns it. The function is called at the first request, and again at the next
   * request if it failed. It is also called after a 401 that a refresh of the credentials did not cure; its cluster
   * then replaces the former one. After a call that did not help, the client waits at least 5 s before the next one. An
   * error that it throws, other than a `ClientError`, is the cause of an `INVALID_CLUSTER`.
   */
  readonly cluster: Cluster | (() => Promise<Cluster>);
  /**
   * The field manager of this client's writes in `managedFields`. Default: `keelson` for server-side apply,
   * else none.
   */
  readonly fieldManager?: string | undefined;
  /**
   * The `user-agent` header. A function is called for each request, in the async context of its caller; if it throws or
   * returns a value that a header cannot hold, the header is `keelson`. Default `keelson`.
   */
  readonly userAgent?: string | (() => string) | undefined;
  /** Receives the requests, retries and warnings of the client. Default: none. */
  readonly observer?: ClientObserver | undefined;
  /**
   * Traces the requests of the client, and adds its headers to them, such as `traceparent`. Default: none. The entry
   * `@keelson/manager/tracing` makes one for OpenTelemetry.
   */
  readonly tracing?: RequestTracing | undefined;
  /** Requests gzip for lists, which helps only over slow networks. Default `false`. */
  readonly compression?: boolean | undefined;
  /**
   * Sends watches, and the GET of `/version` of `protobuf`, over HTTP/2 if the server supports it, so that a lost
   * connection is noticed within 20 s. Set it to `false` for a load balancer that breaks HTTP/2. Default `true`.
   */
  readonly http2?: boolean | undefined;
  /**
   * Reads the lists and watches of `listerWatcher` as protobuf: those of built-in kinds, and those of the metadata of
   * any kind. Objects are the same as with JSON. The client first sends a GET of `/version`, and uses JSON for a server
   * that is newer than its table of kinds. A kind whose bytes it cannot read is read as JSON from then on. One whose
   * lists or watches fail three times, and then work as JSON, is read as JSON for a minute, and for longer while protobuf
   * still fails. Default `true`.
   */
  readonly protobuf?: boolean | undefined;
  /**
   * How often a failed request is retried, and after which delays. `false` disables retries. Default: 4 attempts with
   * delays from 100 ms, doubling up to 10 s.
   */
  readonly retry?: Partial<RetryPolicy> | false | undefined;
  /**
   * The clock by which the client waits: for retries, time limits and expired credentials. Default: that of `cluster`,
   * if it is not a function, else the clock of the system.
   */
  readonly clock?: Clock | undefined;
}

const members = [
  'cluster',
  'fieldManager',
  'userAgent',
  'observer',
  'tracing',
  'compression',
  'http2',
  'protobuf',
  'retry',
  'clock',
];

/**
 * Creates a client. It reads and sends nothing until the first call, and must be closed after use. Throws
 * `INVALID_OPTION`, and `UNSUPPORTED_RUNTIME` in Bun.
 *
 * @example
 * ```ts
 * import { builtin, createClient, loadCluster } from '@keelson/manager';
 *
 * // KUBECONFIG, ~/.kube/config, or the ServiceAccount of the Pod.
 * await using client = createClient({ cluster: await loadCluster() });
 * const { items } = await client.list(builtin.Pod, {
 *   namespace: 'default',
 *   labelSelector: 'app=web',
 * });
 * console.log(items.map(({ metadata }) => metadata.name));
 * ```
 */
export function createClient(options: ClientOptions): Client {
  checkRuntime();
  checkOptions(options, members, 'createClient');
  const { cluster, fieldManager, userAgent = DEFAULT_USER_AGENT, compression = false } = options;
  const { http2 = true, protobuf = true } = options;
  if (typeof cluster !== 'function' && !isRecord(cluster)) {
    throw invalidOption('createClient.cluster', 'must be a cluster or a function that loads one');
  }
  checkTexts(options);
  const retry = retryPolicy(options.retry);
  const clock = clockOf(options);
  const observer = options.observer && guardedObserver(options.observer, observerMethods);
  const tracing = options.tracing && new GuardedTracing(options.tracing);
  const transport = new Transport({ cluster, userAgent, observer, tracing, http2, retry, clock });
  const protobufReads = protobuf ? protobufReadsOf(transport, observer) : undefined;
  return new HttpClient(new Caller({ transport, fieldManager, compression, protobufReads }));
}

function clockOf({ clock, cluster }: ClientOptions): Clock {
  checkClock(clock, 'createClient.clock');
  return clock ?? (typeof cluster === 'function' ? undefined : cluster.clock) ?? systemClock;
}

function protobufReadsOf(
  transport: Transport,
  observer: ClientObserver | undefined,
): ProtobufReads {
  const request = requestFor('get', { path: '/version', noRetry: true, pool: 'beforeWatch' });
  return new ProtobufReads({
    clock: transport.clock,
    fetchVersion: (signal) => transport.send({ ...request, signal }, (response) => response.json()),
    onRefused: (refusal) => observer?.protobufRefused?.(refusal),
  });
}

function checkTexts(options: ClientOptions): void {
  const { fieldManager, userAgent, compression, http2, observer, tracing, protobuf } = options;
  if (fieldManager !== undefined) check.fieldManager(fieldManager, 'createClient.fieldManager');
  if (userAgent !== undefined && typeof userAgent !== 'function') {
    check.headerText(userAgent, 'createClient.userAgent');
  }
  if (compression !== undefined) check.flag(compression, 'createClient.compression');
  if (http2 !== undefined) check.flag(http2, 'createClient.http2');
  if (protobuf !== undefined) check.flag(protobuf, 'createClient.protobuf');
  checkObserver(observer, observerMethods, 'createClient.observer');
  if (tracing !== undefined) checkMethods(tracing, ['begin'], 'createClient.tracing');
}

function retryPolicy(retry: ClientOptions['retry']): RetryPolicy {
  if (retry === false) return { ...defaultRetryPolicy, attempts: 1 };
  if (retry === undefined) return defaultRetryPolicy;
  checkOptions(retry, ['attempts', 'base', 'max'], 'createClient.retry');
  const { attempts = defaultRetryPolicy.attempts, base, max } = retry;
  check.attempts(attempts, 'createClient.retry.attempts');
  if (base !== undefined) check.milliseconds(base, 'createClient.retry.base');
  if (max !== undefined) check.milliseconds(max, 'createClient.retry.max');
  return { attempts, ...backoffDelays({ base, max }, defaultRetryPolicy, 'createClient.retry') };
}
