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

/** The authorities of a certificate, and the objects in which API servers find them. */
export interface PublishedBundle {
  readonly bundle: string;
  readonly targets: CaBundleTargets;
}

/** A certificate in a Secret, whose namespace is known when the cluster is. */
export class SecretCertificate implements CertificateSource {
  readonly #place: CertificateSecretPlace;
  readonly #dependencies: SecretCertificateDependencies;
  #certificates: CertificateSecret | undefined;
  #namespace = '';
  #stopped = false;

  constructor(place: CertificateSecretPlace, dependencies: SecretCertificateDependencies) {
    this.#place = place;
    this.#dependencies = dependencies;
  }

  /** The bundle and its objects; `undefined` before the start. */
  get published(): PublishedBundle | undefined {
    const bundle = this.#certificates?.bundle;
    if (bundle === undefined) return undefined;
    const { service: name, configurations = [], definitions = [] } = this.#place;
    const service = { namespace: this.#namespace, name };
    return { bundle, targets: { service, configurations, definitions } };
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
    await this.#certificates.start(use);
  }

  stop(): void {
    this.#stopped = true;
    this.#certificates?.stop();
  }
}
