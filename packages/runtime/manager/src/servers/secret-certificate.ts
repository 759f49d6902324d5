import { EventEmitter } from 'node:events';
import { invalidOption } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { CertificateSecret, type CaBundleTargets } from '@keelson/webhook';
import type { Logger } from '../logging/logger.ts';
import type { CertificateSource, KeyPair } from './certificate-source.ts';
import type { CertificateSecretPlace } from './server-options.ts';

/** The parts of a manager with which a certificate in a Secret is kept. */
export interface SecretCertificateDependencies {
  /** Every replica may renew a certificate, so no Lease guards this client. */
  readonly client: Client;
  /** The namespace of the Pod, or of the context in a kubeconfig. */
  readonly namespace: () => Promise<string | undefined>;
  readonly log: Logger;
}

/** A certificate in a Secret, whose namespace is known when the cluster is. */
export class SecretCertificate implements CertificateSource {
  /** Emits `change` when the certificate or its authorities change. */
  readonly changes: EventEmitter<{ change: [] }> = new EventEmitter();
  /** The names of the objects in which API servers find the authorities. */
  readonly published: Readonly<Record<'configurations' | 'definitions', readonly string[]>>;
  readonly #place: CertificateSecretPlace;
  readonly #dependencies: SecretCertificateDependencies;
  #certificates: CertificateSecret | undefined;
  #namespace: string | undefined;
  #stopped = false;

  constructor(place: CertificateSecretPlace, dependencies: SecretCertificateDependencies) {
    const { configurations = [], definitions = [] } = place;
    this.published = { configurations, definitions };
    this.#place = place;
    this.#dependencies = dependencies;
  }

  /** The certificates of the authorities in PEM; `undefined` before the start. */
  get bundle(): string | undefined {
    return this.#certificates?.bundle;
  }

  /** The Service by which API servers reach the webhooks; `undefined` before the start. */
  get service(): CaBundleTargets['service'] | undefined {
    const { service: name } = this.#place;
    return this.#namespace === undefined ? undefined : { namespace: this.#namespace, name };
  }

  async start(use: (pair: KeyPair) => void): Promise<void> {
    const { client, log } = this.#dependencies;
    const { secret: name, service } = this.#place;
    const namespace = this.#place.namespace ?? (await this.#dependencies.namespace());
    if (this.#stopped) return;
    if (namespace === undefined) {
      const option = 'createManager.servers.webhook.tls.namespace';
      throw invalidOption(option, 'is required, because the cluster names no namespace');
    }
    this.#namespace = namespace;
    this.#certificates = new CertificateSecret({
      client,
      log,
      service,
      secret: { namespace, name },
    });
    await this.#certificates.start((pair) => {
      use(pair);
      this.changes.emit('change');
    });
  }

  /** Reads the Secret, which another replica may have changed. */
  async refresh(): Promise<void> {
    await this.#certificates?.refresh();
  }

  stop(): void {
    this.#stopped = true;
    this.#certificates?.stop();
  }
}
