import { builtin, type ObjectOf } from '@keelson/apimachinery';
import type { Client, Cluster } from '@keelson/client';

type Rule = NonNullable<ObjectOf<typeof builtin.Role>['rules']>[number];

interface TokenRequest {
  apiVersion: string;
  kind: string;
  spec: { audiences?: string[]; expirationSeconds?: number };
  status?: { token: string };
}

/** A service account: a user of its own on every server, also on one that is not ours. */
export class ServiceAccount {
  readonly #client: Client;
  readonly #cluster: Cluster;
  readonly #namespace: string;
  readonly #name = 'robot';

  private constructor(client: Client, cluster: Cluster, namespace: string) {
    this.#client = client;
    this.#cluster = cluster;
    this.#namespace = namespace;
  }

  /** Makes one that may do nothing. */
  static async create(
    { client, cluster }: { readonly client: Client; readonly cluster: Cluster },
    namespace: string,
  ): Promise<ServiceAccount> {
    const account = new ServiceAccount(client, cluster, namespace);
    const metadata = { namespace, name: account.#name };
    await client.create(builtin.ServiceAccount, { metadata });
    return account;
  }

  /** A token for it. Servers grant none that lives less than 10 minutes, so no test waits for the end of one. */
  async token(audiences?: string[]): Promise<string> {
    const tokens = this.#client.subresource<TokenRequest>(builtin.ServiceAccount, 'token');
    const { status } = await tokens.create(
      { namespace: this.#namespace, name: this.#name },
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: audiences === undefined ? {} : { audiences },
      },
    );
    return status?.token ?? '';
  }

  /** The cluster as somebody with nothing but this proof of who it is. */
  as(proof: Pick<Cluster, 'token' | 'credentials'>): Cluster {
    const { server, tls: { ca, rejectUnauthorized } = {} } = this.#cluster;
    const tls = {
      ...(ca !== undefined && { ca }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    };
    return { server, tls, ...proof };
  }

  /** Lets it do these things in its namespace. */
  async allow(...rules: Rule[]): Promise<void> {
    const metadata = { namespace: this.#namespace, name: this.#name };
    await this.#client.apply(builtin.Role, { metadata, rules });
    await this.#client.apply(builtin.RoleBinding, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: this.#name },
      subjects: [{ kind: 'ServiceAccount', namespace: this.#namespace, name: this.#name }],
    });
  }
}
