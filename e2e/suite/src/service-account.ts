import { builtin, type ObjectOf } from '@keelson/apimachinery';
import type { Client, Cluster, ClusterTls } from '@keelson/client';

type Rule = NonNullable<ObjectOf<typeof builtin.Role>['rules']>[number];

/** The audiences of a token, and the object whose deletion invalidates it. */
interface TokenSpec {
  audiences?: string[];
  boundObjectRef?: { apiVersion: string; kind: string; name: string };
}

interface TokenRequest {
  apiVersion: string;
  kind: string;
  spec: TokenSpec;
  status?: { token: string };
}

interface AccountKey {
  readonly namespace: string;
  readonly name: string;
}

/** The credentials of a user. */
export type Proof = Pick<Cluster, 'token' | 'credentials' | 'tls'>;

/** A service account: a way to get a new user on every server, also on an existing cluster. */
export class ServiceAccount {
  readonly #client: Client;
  /** The address and authority of the server, without credentials. */
  readonly #place: Cluster;
  readonly #namespace: string;
  readonly #name: string;

  private constructor(client: Client, place: Cluster, { namespace, name }: AccountKey) {
    this.#client = client;
    this.#place = place;
    this.#namespace = namespace;
    this.#name = name;
  }

  /** Creates a service account without permissions. */
  static async create(
    { client, cluster }: { readonly client: Client; readonly cluster: Cluster },
    namespace: string,
    name = 'robot',
  ): Promise<ServiceAccount> {
    const account = new ServiceAccount(client, await placeOf(cluster), { namespace, name });
    await client.create(builtin.ServiceAccount, { metadata: account.key });
    return account;
  }

  get key(): AccountKey {
    return { namespace: this.#namespace, name: this.#name };
  }

  /** Deletes the service account and creates another one with the same name and permissions. */
  async replace(): Promise<void> {
    await this.#client.delete(builtin.ServiceAccount, this.key);
    await this.#client.create(builtin.ServiceAccount, { metadata: this.key });
  }

  /** Requests a token from the server, valid for an hour. */
  async token(spec: TokenSpec = {}): Promise<string> {
    const tokens = this.#client.subresource<TokenRequest>(builtin.ServiceAccount, 'token');
    const apiVersion = 'authentication.k8s.io/v1';
    const { status } = await tokens.create(this.key, { apiVersion, kind: 'TokenRequest', spec });
    return status?.token ?? '';
  }

  /** Returns the cluster with these credentials only. */
  as({ tls, ...proof }: Proof): Cluster {
    return { ...this.#place, tls: { ...this.#place.tls, ...tls }, ...proof };
  }

  /** Grants permissions in the namespace of the service account. */
  async allow(...rules: Rule[]): Promise<void> {
    const metadata = this.key;
    await this.#client.apply(builtin.Role, { metadata, rules });
    await this.#client.apply(builtin.RoleBinding, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: this.#name },
      subjects: [{ kind: 'ServiceAccount', namespace: this.#namespace, name: this.#name }],
    });
  }
}

/**
 * Returns the cluster without credentials. The cluster of a kubeconfig returns its authority with its credentials.
 */
async function placeOf(cluster: Cluster): Promise<Cluster> {
  const current = await cluster.credentials?.({ force: false });
  const { ca, rejectUnauthorized, servername }: ClusterTls = { ...cluster.tls, ...current?.tls };
  return {
    server: cluster.server,
    tls: {
      ...(ca !== undefined && { ca }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
      ...(servername !== undefined && { servername }),
    },
  };
}
