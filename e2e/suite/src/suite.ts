import { afterAll, beforeAll, test } from '@jest/globals';
import { builtin, isNotFound, type KubernetesObject } from '@keelson/apimachinery';
import { createClient, type Client, type Cluster } from '@keelson/client';
import {
  createTestEnvironment,
  type ControlPlaneControls,
  type NewUser,
  type TestEnvironmentOptions,
  type TestUser,
} from '@keelson/envtest';
import { until } from '@keelson/example-support';
import { chosenEnvironment } from './chosen-environment.ts';
import { exists } from './exists.ts';
import { printProgress } from './print-progress.ts';

/** The environment of the tests of one file. Objects that tests create through it are removed after the tests. */
export interface Suite {
  /** The client of the administrator. */
  readonly client: Client;
  readonly cluster: Cluster;
  /** A kubeconfig of the administrator. */
  readonly kubeconfig: string;
  /** Injects faults. Throws on an existing cluster; tests that need it start with `testWithControls`. */
  readonly controls: ControlPlaneControls;
  /** Adds a user. Throws for an existing cluster. */
  addUser(user: NewUser): Promise<TestUser>;
  /** Creates a namespace with a unique name, and returns the name. */
  namespace(): Promise<string>;
  /** Installs a definition and waits until it is served. A definition that exists already is not removed later. */
  install(definition: KubernetesObject): Promise<void>;
  /** Installs webhook configurations that call `url`, and waits until they are in effect. */
  installWebhooks(
    configurations: readonly KubernetesObject[],
    server: { readonly url: string; readonly ca: string },
  ): Promise<void>;
  /** Runs a function after the tests of the file; the last added function runs first. */
  defer(cleanUp: () => Promise<unknown>): void;
}

const { options, isOurs, shared, reportsProgress } = chosenEnvironment();

/** Milliseconds: longer than a cluster takes to delete the largest namespace of the tests. */
const DELETION_TIMEOUT_MS = 150_000;

/** Options of the environment, in addition to those of the run. */
type FurtherOptions = TestEnvironmentOptions | (() => Promise<TestEnvironmentOptions>);

/** A test, or a skipped test with its reason. */
export type NamedTest = Pick<typeof test, 'each'> &
  ((name: string, run: () => Promise<void>) => void);

/** Skips a test and adds the reason to its name. */
export function skippedFor(reason: string): NamedTest {
  const title = (name: string): string => `${name} (skipped: ${reason})`;
  const each = ((table: readonly unknown[]) => (name: string, run: () => void) => {
    test.skip.each(table)(title(name), run);
  }) as unknown as typeof test.each;
  const skip = (name: string, run: () => Promise<void>): void => test.skip(title(name), run);
  return Object.assign(skip, { each });
}

/** A test that injects faults into the control plane. */
export const testWithControls: NamedTest = isOurs
  ? test
  : skippedFor('faults must not be injected into an existing cluster');

/**
 * Opens the chosen environment for a file whose tests neither inject faults nor add users nor read objects of other
 * namespaces, and whose kinds no other file installs. If the run has a control plane for such files, they share it, also at
 * the same time: a start of kube-apiserver takes longer than most of their tests.
 */
export function openSharedSuite(): Suite {
  return openSuite(shared === undefined ? {} : { use: 'kubeconfig', kubeconfig: shared });
}

/** Opens an environment for one file, as chosen, with further options or those that a function returns. */
export function openSuite(further: FurtherOptions = {}): Suite {
  const suite = new OpenedSuite(further);
  if (reportsProgress) printProgress();
  beforeAll(() => suite.open());
  afterAll(() => suite.close(), DELETION_TIMEOUT_MS);
  return suite;
}

class OpenedSuite implements Suite {
  readonly #cleanUps: (() => Promise<unknown>)[] = [];
  /** Namespaces whose deletion has started. */
  readonly #leaving: string[] = [];
  readonly #further: FurtherOptions;
  #environment: Awaited<ReturnType<typeof createTestEnvironment>> | undefined;
  #client: Client | undefined;

  constructor(further: FurtherOptions) {
    this.#further = further;
  }

  async open(): Promise<void> {
    const further = typeof this.#further === 'function' ? await this.#further() : this.#further;
    this.#environment = await createTestEnvironment({ ...options, ...further });
    this.#client = createClient({ cluster: this.cluster });
  }

  async close(): Promise<void> {
    for (const cleanUp of this.#cleanUps.toReversed()) await cleanUp();
    await Promise.all(this.#leaving.map((name) => this.#untilGone(name)));
    await this.#client?.close();
    await this.#environment?.stop();
  }

  get client(): Client {
    return opened(this.#client);
  }

  get cluster(): Cluster {
    return opened(this.#environment).admin.cluster;
  }

  get kubeconfig(): string {
    return opened(this.#environment).admin.kubeconfig;
  }

  get controls(): ControlPlaneControls {
    return opened(this.#environment?.controls);
  }

  addUser(user: NewUser): Promise<TestUser> {
    return opened(this.#environment).addUser(user);
  }

  async namespace(): Promise<string> {
    const metadata = { generateName: 'keelson-e2e-' };
    const { metadata: made } = await this.client.create(builtin.Namespace, { metadata });
    const name = made?.name ?? '';
    this.defer(() => this.#remove(name));
    return name;
  }

  async install(definition: KubernetesObject): Promise<void> {
    const key = { name: definition.metadata?.name ?? '' };
    const wasThere = await exists(this.client, builtin.CustomResourceDefinition, key);
    await opened(this.#environment).installCrds([definition]);
    // An existing cluster may already have the definition, with objects of other users.
    if (wasThere) return;
    this.defer(() => gone(this.client.delete(builtin.CustomResourceDefinition, key)));
  }

  async installWebhooks(...installed: Parameters<Suite['installWebhooks']>): Promise<void> {
    await opened(this.#environment).installWebhooks(...installed);
  }

  defer(cleanUp: () => Promise<unknown>): void {
    this.#cleanUps.push(cleanUp);
  }

  async #remove(name: string): Promise<void> {
    await gone(this.client.delete(builtin.Namespace, { name }));
    this.#leaving.push(name);
  }

  /** Waits until a namespace is deleted on an existing cluster. On an own environment `stop` removes everything. */
  async #untilGone(name: string): Promise<void> {
    if (isOurs) return;
    const limits = { timeout: DELETION_TIMEOUT_MS };
    await until(this.client, builtin.Namespace, { name }, (found) => found === undefined, limits);
  }
}

function opened<Part>(part: Part | undefined): Part {
  if (part === undefined)
    throw new Error('the environment of the suite does not have this feature');
  return part;
}

async function gone(deleted: Promise<unknown>): Promise<void> {
  try {
    await deleted;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
