import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { createClient, type Client } from '@keelson/client';
import type { Suite } from '../suite.ts';
import { CertificateFiles, newAuthority } from './certificate-files.ts';
import { Replica } from './replica.ts';
import { Service } from './service.ts';

/** The writes that are sent at the same time. */
const WRITERS = 8;
/** The writes between the end of the readiness of a replica and its removal from the Service. */
const LATE_WRITES = 30;

/** The result of the writes during a rollout. */
export interface RolloutReport {
  readonly failures: readonly unknown[];
  /** The writes that each replica reviewed, by the name of the replica. */
  readonly reviews: ReadonlyMap<string, number>;
  readonly exitCodes: readonly (number | null)[];
}

/**
 * Replaces the two replicas of an operator three times, while writers create ConfigMaps that its webhook reviews, and
 * until at least this many were written. Before the second time a further authority is published, and before the third
 * one the replicas get a certificate of it.
 */
export async function rollOut(suite: Suite, writes: number): Promise<RolloutReport> {
  await using rollout = await Rollout.begin(suite);
  await rollout.replaceAll();
  await rollout.publishNextAuthority();
  await rollout.replaceAll();
  await rollout.renewCertificate();
  await rollout.replaceAll();
  // Awaited here, because the replicas must live until then.
  return await rollout.endAfter(writes);
}

class Rollout implements AsyncDisposable {
  readonly #owned = new AsyncDisposableStack();
  readonly #suite: Suite;
  readonly #client: Client;
  readonly #namespace: string;
  readonly #service: Service;
  readonly #files: CertificateFiles;
  readonly #replicas: Replica[] = [];
  readonly #authorities: Awaited<ReturnType<typeof newAuthority>>[];
  readonly #failures: unknown[] = [];
  readonly #reviews = new Map<string, number>();
  readonly #exitCodes: (number | null)[] = [];
  readonly #stop = new AbortController();
  readonly #progress = new EventEmitter();
  #written = 0;
  #started = 0;
  #writers: Promise<unknown> = Promise.resolve();

  static async begin(suite: Suite): Promise<Rollout> {
    const rollout = new Rollout(suite, {
      namespace: await suite.namespace(),
      service: await Service.listen(),
      files: await CertificateFiles.create(),
      authorities: await Promise.all(['first', 'next'].map(newAuthority)),
    });
    await rollout.#files.issue(rollout.#current);
    for (let count = 0; count < 2; count += 1) await rollout.#addReplica();
    await rollout.#publish(rollout.#current.cert);
    rollout.#writers = Promise.all(Array.from({ length: WRITERS }, () => rollout.#write()));
    return rollout;
  }

  private constructor(
    suite: Suite,
    parts: {
      readonly namespace: string;
      readonly service: Service;
      readonly files: CertificateFiles;
      readonly authorities: Awaited<ReturnType<typeof newAuthority>>[];
    },
  ) {
    this.#suite = suite;
    this.#namespace = parts.namespace;
    this.#service = this.#owned.use(parts.service);
    this.#files = this.#owned.use(parts.files);
    this.#authorities = parts.authorities;
    // A repeated request would hide a failed review.
    this.#client = this.#owned.use(createClient({ cluster: suite.cluster, retry: false }));
  }

  get #current(): Awaited<ReturnType<typeof newAuthority>> {
    return this.#authorities[0] as Awaited<ReturnType<typeof newAuthority>>;
  }

  /** Replaces each replica by a new one, which is ready before. */
  async replaceAll(): Promise<void> {
    for (const leaving of this.#replicas.splice(0)) {
      await this.#addReplica();
      await leaving.terminate();
      await this.#untilWritten(this.#written + LATE_WRITES);
      this.#service.remove(leaving.port);
      this.#exitCodes.push(await leaving.exitCode());
    }
  }

  async publishNextAuthority(): Promise<void> {
    await this.#publish(this.#authorities.map(({ cert }) => cert).join(''));
  }

  /** Gives the replicas a certificate of the next authority. Resolves when all of them serve it. */
  async renewCertificate(): Promise<void> {
    this.#authorities.reverse();
    await this.#files.issue(this.#current);
    await Promise.all(this.#replicas.map((replica) => replica.logged('certificate reloaded')));
    await this.#untilWritten(this.#written + LATE_WRITES);
  }

  async endAfter(writes: number): Promise<RolloutReport> {
    await this.#untilWritten(writes);
    this.#stop.abort();
    await this.#writers;
    const [failures, reviews, exitCodes] = [this.#failures, this.#reviews, this.#exitCodes];
    return { failures, reviews, exitCodes };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#writers;
    await this.#owned.disposeAsync();
  }

  async #addReplica(): Promise<void> {
    this.#started += 1;
    const { cluster } = this.#suite;
    const name = `replica-${this.#started}`;
    const replica = await Replica.start({ cluster, tls: this.#files.paths, name });
    this.#owned.use(replica);
    const status = await replica.readiness();
    if (status !== 200) throw new Error(`${name} has started, and its readiness is ${status}`);
    this.#service.add(replica.port);
    this.#replicas.push(replica);
  }

  async #publish(ca: string): Promise<void> {
    const name = `rollout-${this.#namespace}`;
    const url = `https://127.0.0.1:${this.#service.port}`;
    await this.#suite.installWebhooks([configurationOf(name, this.#namespace)], { url, ca });
    const configuration = builtin.MutatingWebhookConfiguration;
    this.#owned.defer(async () => {
      await this.#suite.client.delete(configuration, { name }).catch(() => undefined);
    });
  }

  async #write(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const metadata = { namespace: this.#namespace, name: `map-${randomUUID()}` };
      try {
        const made = await this.#client.create(builtin.ConfigMap, { metadata }, { dryRun: true });
        const reviewer = made.data?.['reviewer'] ?? 'none';
        this.#reviews.set(reviewer, (this.#reviews.get(reviewer) ?? 0) + 1);
      } catch (error) {
        this.#failures.push(error);
      }
      this.#written += 1;
      this.#progress.emit('written');
    }
  }

  async #untilWritten(writes: number): Promise<void> {
    while (this.#written < writes) await once(this.#progress, 'written');
  }
}

function configurationOf(name: string, namespace: string): KubernetesObject {
  const rule = {
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['configmaps'],
    operations: ['CREATE'],
  };
  const webhook = {
    name: 'maps.rollout.keelson',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
    clientConfig: { service: { namespace, name: 'operator', path: '/mutate/maps' } },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    rules: [rule],
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name },
    webhooks: [webhook],
  } as KubernetesObject;
}
