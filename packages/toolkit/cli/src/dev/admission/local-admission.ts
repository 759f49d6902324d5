import {
  builtin,
  isNotFound,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { AdmissionObjects } from './admission-objects.ts';
import {
  hasConversion,
  withLocalConversion,
  withLocalWebhooks,
  type LocalAddress,
} from './local-address.ts';
import { presentedCertificate } from './presented-certificate.ts';

/** The objects of a project that the server calls its program for. */
interface ReviewedContent {
  readonly definitions: readonly KubernetesObject[];
  readonly admission: AdmissionObjects;
}

const tokens: readonly ApiResource[] = [
  builtin.CustomResourceDefinition,
  builtin.MutatingWebhookConfiguration,
  builtin.ValidatingAdmissionPolicy,
  builtin.ValidatingAdmissionPolicyBinding,
  builtin.ValidatingWebhookConfiguration,
];

/** The webhooks and policies of a project on a server in memory. */
export class LocalAdmission {
  readonly #client: Client;
  readonly #user: string;
  #content: ReviewedContent = { definitions: [], admission: { configurations: [], policies: [] } };
  /** The installed objects other than definitions, by kind and name. */
  readonly #installed = new Map<string, KubernetesObject>();

  /** `user` is that of the client. */
  constructor(client: Client, user: string) {
    this.#client = client;
    this.#user = user;
  }

  /** Takes the objects of the project, after its files were read again. */
  replace(content: ReviewedContent): void {
    this.#content = content;
  }

  /** Applies policies and their bindings, and removes what the project no longer declares. */
  async install(policies: readonly KubernetesObject[], signal: AbortSignal): Promise<void> {
    const { configurations } = this.#content.admission;
    const wanted = new Set([...policies, ...configurations].map(idOf));
    for (const [id, object] of this.#installed) {
      if (wanted.has(id)) continue;
      await this.#remove(object, signal);
      this.#installed.delete(id);
    }
    await Promise.all(policies.map((object) => this.#apply(object, signal)));
  }

  /** Waits until the program serves on the port, and lets the server call it. Resolves with the number of its callers. */
  async callWebhooks(port: number, signal: AbortSignal): Promise<number> {
    const { definitions, admission } = this.#content;
    const converted = definitions.filter(hasConversion);
    const callers = admission.configurations.length + converted.length;
    if (callers === 0) return 0;
    const ca = await presentedCertificate(port, signal);
    if (ca === undefined) return 0;
    const url = `https://127.0.0.1:${port}`;
    const address: LocalAddress = { url, ca, exemptUser: this.#user };
    await Promise.all([
      ...converted.map((each) => this.#apply(withLocalConversion(each, address), signal)),
      ...admission.configurations.map((each) =>
        this.#apply(withLocalWebhooks(each, address), signal),
      ),
    ]);
    return callers;
  }

  async #apply(object: KubernetesObject, signal: AbortSignal): Promise<void> {
    await this.#client.apply(tokenOf(object), object, { force: true, signal });
    if (object.kind !== builtin.CustomResourceDefinition.kind) {
      this.#installed.set(idOf(object), object);
    }
  }

  async #remove(object: KubernetesObject, signal: AbortSignal): Promise<void> {
    const { name = '' } = object.metadata ?? {};
    await this.#client.delete(tokenOf(object), { name }, { signal }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

function idOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata?.name}`;
}

function tokenOf(object: KubernetesObject): ApiResource {
  const token = tokens.find(({ kind }) => kind === object.kind);
  if (token === undefined) throw new TypeError(`unexpected kind ${object.kind}`);
  return token;
}
